import HaulLibC

/// The sizes of the threads' stacks (getrlimit(2), RLIMIT_STACK).
package enum StackLimit {
    /// The usual limit of the main thread, in bytes.
    private static let usual: rlim_t = 8 << 20
    /// The size that is enough for any other thread, in bytes.
    private static let enough = 1 << 20

    /// Raises the soft limit to the usual one, as far as the hard one allows, and the size for threads that start later.
    ///
    /// The main thread's stack grows up to the present limit; the size of the others' depends on the limit at the start
    /// of the program.
    package static func raise() {
        var limit = rlimit()
        // Unsafe: the kernel fills a value that outlives the call, and copies it in the second call.
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        if limit.rlim_cur < rlim_t(enough) { enlargeThreads() }
        let wanted = min(limit.rlim_max, usual)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        unsafe _ = setrlimit(resource, &limit)
    }

    /// Sets the size for threads that start later, which other C libraries do not take from the limit.
    private static func enlargeThreads() {
        #if canImport(Glibc)
            // The headers hide pthread_setattr_default_np(3) from Swift.
            typealias Change = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32
            guard let address = unsafe dlsym(nil, "pthread_setattr_default_np") else { return }
            // Unsafe: the function has this type, and copies the attributes.
            let change = unsafe unsafeBitCast(address, to: Change.self)
            var attributes = pthread_attr_t()
            guard unsafe pthread_attr_init(&attributes) == 0 else { return }
            if unsafe pthread_attr_setstacksize(&attributes, enough) == 0 { unsafe _ = change(&attributes) }
            unsafe _ = pthread_attr_destroy(&attributes)
        #endif
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_STACK.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_STACK }
    #endif
}

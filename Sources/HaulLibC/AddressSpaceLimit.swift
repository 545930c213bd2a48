/// The address space that the process may use (getrlimit(2), RLIMIT_AS).
package enum AddressSpaceLimit {
    /// With less, creating a thread sometimes fails: the libraries then wait until it succeeds, or end the process without a
    /// message.
    private static let enough: rlim_t = 512 << 20

    /// A warning if the limit is too small, or else nil.
    package static var warning: String? {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
        #else
            let resource = RLIMIT_AS
        #endif
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < enough else { return nil }
        return
            "the address space is limited to \(limit.rlim_cur >> 20) MiB (ulimit -v), so the program may hang or crash: "
            + "allow 512 MiB, and limit its memory by other means, such as MemoryMax= of systemd"
    }
}

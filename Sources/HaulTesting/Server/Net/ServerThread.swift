import HaulLibC

/// A thread that must be joined.
// `@unchecked`: a pthread_t is a pointer on some systems. It is only passed to pthread_join, which any thread may call.
struct ServerThread: @unchecked Sendable {
    private let handle: pthread_t

    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    init(_ body: @escaping @Sendable () -> Void) throws(ServerSetupError) {
        // The box is retained here and released by the new thread, or below if there is none.
        let box = unsafe Unmanaged.passRetained(Box(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = unsafe pthread_create(&thread, nil, { unsafe ServerThread.main($0) }, box.toOpaque())
        #else
            var thread: pthread_t? = pthread_t()
            let code = unsafe Self.create(&thread, box.toOpaque())
        #endif
        guard code == 0, let thread else {
            unsafe box.release()
            throw ServerSetupError("pthread_create", code)
        }
        handle = thread
    }

    /// Waits until the thread has ended.
    func join() {
        #if canImport(Darwin)
            // The handle is a pointer on Darwin, and still valid: the thread was not joined or detached before.
            _ = unsafe pthread_join(handle, nil)
        #else
            _ = pthread_join(handle, nil)
        #endif
    }

    #if !canImport(Darwin)
        private static func create(_ thread: inout pthread_t?, _ argument: UnsafeMutableRawPointer) -> Int32 {
            var made = pthread_t()
            let code = unsafe pthread_create(&made, nil, { unsafe ServerThread.main($0) }, argument)
            thread = made
            return code
        }
    #endif

    private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        // The pointer is the box that `init` retained for exactly this call.
        if let argument = unsafe argument { unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
    }
}

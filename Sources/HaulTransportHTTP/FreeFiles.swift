import HaulLibC

/// The files that the process may still open.
///
/// SwiftNIO stops the process if an event loop can't open the files that it needs, so they are counted before.
enum FreeFiles {
    /// The number of files that an event loop opens: epoll(7), eventfd(2) and timerfd_create(2), or kqueue(2).
    static let perEventLoop = 3
    /// The number of files that other threads may open at the same time.
    static let spare = 8

    /// Throws an error if the process may not open this many more files.
    static func require(_ count: Int) throws(HTTPTransportError) {
        var opened: [Int32] = []
        defer { for file in opened { _ = close(file) } }
        for _ in 0..<count {
            let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            if file >= 0 {
                opened.append(file)
            } else if errno == EMFILE || errno == ENFILE {
                throw .tooFewFiles(needed: count)
            }
        }
    }
}

/// The files that the process may still open.
///
/// SwiftNIO stops the process if an event loop can't open the files that it needs, and Dispatch then delivers no
/// signals, so the files are counted before.
package enum FreeFiles {
    /// The number of files that an event loop opens: epoll(7), eventfd(2) and timerfd_create(2), or kqueue(2).
    package static let perEventLoop = 3
    /// The number of files that other threads may open at the same time.
    package static let spare = 8
    /// The number of files that a program with a list of downloads needs for its event loops, the list and a few connections.
    package static let forList = 24
    /// The number of files that a server needs for its list, its event loops, its sockets and the signals, with a few
    /// connections.
    package static let forServer = 40

    /// Returns true if the process may open this many more files.
    package static func suffice(for count: Int) -> Bool {
        var opened: [Int32] = []
        defer { for file in opened { _ = close(file) } }
        for _ in 0..<count {
            // Unsafe: the path is a literal.
            let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            if file >= 0 { opened.append(file) } else if errno == EMFILE || errno == ENFILE { return false }
        }
        return true
    }
}

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

    /// The soft limit of the process (getrlimit(2)); nil if it is unknown.
    package static var limit: UInt64? {
        var limit = rlimit()
        // Unsafe: the kernel fills a value that outlives the call.
        return unsafe getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// The number of the limit, as getrlimit(2) wants it.
    #if canImport(Glibc)
        package static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        package static var resource: Int32 { RLIMIT_NOFILE }
    #endif

    /// Returns true if the process may open this many more files.
    package static func suffice(for count: Int) -> Bool {
        // Usually the last numbers are all free, which takes two calls; one file is opened for the limit of the system.
        canOpen(areLastFree(count) ? 1 : count)
    }

    /// Returns true if no file has any of the last numbers that the process may use.
    private static func areLastFree(_ count: Int) -> Bool {
        guard let limit = limit.flatMap({ Int32(exactly: $0) }), limit >= count else { return false }
        var entries = (limit - Int32(count)..<limit).map { pollfd(fd: $0, events: 0, revents: 0) }
        // Unsafe: poll(2) reads and writes the entries, which outlive the call; with a timeout of 0 it does not wait.
        guard unsafe poll(&entries, nfds_t(count), 0) == count else { return false }
        return entries.allSatisfy { $0.revents & Int16(POLLNVAL) != 0 }
    }

    private static func canOpen(_ count: Int) -> Bool {
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

/// The standard input, output and error of a program.
package enum StandardDescriptors {
    /// Takes the numbers of those that are closed, so that no other file gets them.
    ///
    /// They are opened in the other direction: reading and writing still fail (EBADF).
    package static func reserve() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Unsafe: the path is a literal. The lowest free number is this one, because the lower ones are taken.
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}

import HaulLibC

/// Sends status messages to the service manager that started the daemon, such as systemd (sd_notify(3)).
package struct ServiceManager: Sendable {
    private let address: [UInt8]
    /// The interval at which the watchdog expects a message; nil means never.
    package let watchdog: Duration?

    /// Reads the variables that the service manager has set; nil if there is none.
    ///
    /// - Parameter pid: This process; a watchdog for another one is ignored (sd_watchdog_enabled(3)).
    package init?(environment: [String: String], pid: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        // An abstract address begins with a NUL (unix(7)), written as @.
        address = (path.hasPrefix("@") ? [0] : [UInt8(ascii: "/")]) + Array(path.utf8.dropFirst())
        let isMine = environment["WATCHDOG_PID"].map { $0 == String(pid) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        watchdog = isMine && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Sends one datagram with lines of the form `NAME=VALUE`.
    ///
    /// - Returns: True if it was sent; callers need not check.
    @discardableResult
    package func report(_ lines: String...) -> Bool {
        let text = Array(lines.map { $0.replacing("\n", with: " ") }.joined(separator: "\n").utf8)
        var target = sockaddr_un()
        let room = MemoryLayout.size(ofValue: target.sun_path)
        guard address.count < room else { return false }
        target.sun_family = sa_family_t(AF_UNIX)
        // Unsafe: the address fits, as was checked.
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: address) }
        #if canImport(Glibc)
            let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #elseif canImport(Musl)
            let file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
        #else
            let file = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard file >= 0 else { return false }
        defer { close(file) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + address.count)
        // Unsafe: address and text are borrowed for the call, which copies them.
        let sent = unsafe withUnsafePointer(to: &target) { target in
            unsafe target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                unsafe text.withUnsafeBytes { unsafe sendto(file, $0.baseAddress, $0.count, 0, target, length) }
            }
        }
        return sent == text.count
    }
}

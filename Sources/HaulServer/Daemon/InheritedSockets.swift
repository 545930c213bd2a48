import HaulLibC

/// The sockets that a service manager has opened for the daemon (sd_listen_fds(3)).
package enum InheritedSockets {
    /// The first inherited descriptor.
    private static let first: Int32 = 3
    /// The maximum plausible number of descriptors.
    private static let maximum: Int32 = 16

    /// Returns the inherited sockets that are meant for this process.
    package static func all(environment: [String: String], pid: Int32 = getpid()) -> [ListeningSocket] {
        guard environment["LISTEN_PID"] == String(pid), let count = environment["LISTEN_FDS"].flatMap(Int32.init),
            (1...maximum).contains(count)
        else { return [] }
        return (first..<first + count).compactMap { descriptor in
            // Programs that hooks run must not inherit it.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            switch family(of: descriptor) {
            case AF_UNIX: return .inherited(descriptor: descriptor, isLocal: true)
            case AF_INET, AF_INET6: return .inherited(descriptor: descriptor, isLocal: false)
            case _: return nil
            }
        }
    }

    /// Returns the path of an inherited Unix socket; nil for another socket, and for one without a path.
    package static func path(of socket: ListeningSocket) -> String? {
        guard case .inherited(let descriptor, isLocal: true) = socket, let address = address(of: descriptor) else {
            return nil
        }
        // Safe: an address of any family has at least the size of a Unix socket's, and its bytes are initialised.
        let bytes = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe Array(bytes.dropFirst(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2).prefix { $0 != 0 })
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func family(of descriptor: Int32) -> Int32? {
        address(of: descriptor).map { Int32($0.ss_family) }
    }

    private static func address(of descriptor: Int32) -> sockaddr_storage? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // Unsafe: the kernel fills a value that is large enough for every address and outlives the call.
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return result == 0 ? address : nil
    }
}

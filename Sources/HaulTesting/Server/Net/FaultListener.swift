import HaulLibC

/// A socket that listens on a port of 127.0.0.1.
struct FaultListener {
    let port: Int
    private let socket: Socket

    /// - Parameter port: The port; 0 for any free one.
    init(stop: StopSignal, port wanted: UInt16) throws(ServerSetupError) {
        #if canImport(Darwin) || canImport(Musl)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = Self.open(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw ServerSetupError("socket", errno) }
        socket = Socket(descriptor: descriptor, stop: stop)
        Self.prepare(socket)
        // Accepted sockets inherit the buffer size. It is small so that the client receives nearly all of what the
        // socket accepts.
        socket.set(SO_SNDBUF, to: 32 * 1024)
        // A port that was named may still have connections of the server before.
        if wanted != 0 { socket.set(SO_REUSEADDR, to: 1) }
        do {
            port = try Self.bind(descriptor, wanted)
        } catch {
            socket.close()
            throw error
        }
    }

    /// Returns the next connection; nil once the server stops.
    func accept() -> Socket? {
        while socket.wait(Int32(POLLIN)) == .ready {
            let descriptor = Self.accept(socket.descriptor)
            guard descriptor >= 0 else {
                // EMFILE: the queue stays readable, so wait instead of spinning.
                if errno == EMFILE || errno == ENFILE { _ = socket.wait(0, until: .now + .milliseconds(10)) }
                continue
            }
            let accepted = Socket(descriptor: descriptor, stop: socket.stop)
            Self.prepare(accepted)
            accepted.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1)
            return accepted
        }
        return nil
    }

    func close() { socket.close() }

    private static func prepare(_ socket: Socket) {
        _ = fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(socket.descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
            socket.set(SO_NOSIGPIPE, to: 1)
        #endif
    }

    private static func bind(_ descriptor: Int32, _ port: UInt16) throws(ServerSetupError) -> Int {
        var address = sockaddr_in()
        address.sin_port = port.bigEndian
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // bind and getsockname take the address of any family as a `sockaddr`; the pointer is to a whole `sockaddr_in`.
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard unsafe systemBind(descriptor, generic, size) == 0, listen(descriptor, 256) == 0 else {
                    return errno
                }
                return unsafe getsockname(descriptor, generic, &size) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw ServerSetupError("bind", code) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

// `FaultListener`'s own methods hide the plain names.
extension FaultListener {
    private static func open(_ family: Int32, _ kind: Int32, _ number: Int32) -> Int32 {
        systemSocket(family, kind, number)
    }
    private static func accept(_ descriptor: Int32) -> Int32 { systemAccept(descriptor) }
}

private func systemSocket(_ family: Int32, _ kind: Int32, _ number: Int32) -> Int32 { socket(family, kind, number) }
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    unsafe bind(descriptor, address, size)
}

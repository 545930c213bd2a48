import HaulLibC

/// A client that sees every byte and how the connection ended: a plain blocking socket with a time limit on every read.
final class RawClient {
    enum End: Equatable { case open, finished, reset, silent }

    private let descriptor: Int32
    /// How the last read ended.
    private(set) var end = End.open
    private var unread: [UInt8] = []

    init(_ port: Int, patience: Duration = .seconds(10), receiveBuffer: Int32? = nil) {
        #if canImport(Darwin) || canImport(Musl)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, kind, 0)
        if var size = receiveBuffer {
            // The option is read during the call only.
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        wait(atMost: patience)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        // The pointer is to a whole `sockaddr_in`, which `connect` takes as a `sockaddr`.
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 { end = .reset }
    }

    deinit { close(descriptor) }

    /// Changes how long a read waits for the next byte.
    func wait(atMost patience: Duration) {
        let parts = patience.components
        var limit = timeval(tv_sec: Int(parts.seconds), tv_usec: .init(parts.attoseconds / 1_000_000_000_000))
        // The option is read during the call only.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        // The array outlives the call.
        _ = unsafe systemSend(descriptor, bytes, bytes.count)
    }

    /// Sends a GET, or something like it.
    func ask(_ path: String, _ headers: String..., method: String = "GET", version: String = "HTTP/1.1") {
        let lines = (["\(method) \(path) \(version)", "Host: x"] + headers).joined(separator: "\r\n")
        send(lines + "\r\n\r\n")
    }

    /// Reads so many bytes, or fewer where the connection ends or is silent before.
    func read(_ count: Int) -> [UInt8] {
        while unread.count < count, more() {}
        let bytes = Array(unread.prefix(count))
        unread.removeFirst(bytes.count)
        return bytes
    }

    /// Reads to the end of the connection, or to its silence.
    func readAll() -> [UInt8] { read(.max) }

    /// Reads to the empty line behind a head, and no further.
    func readHead() -> RawHead? {
        var (place, matched) = (0, 0)
        while true {
            while place < unread.count, matched < 4 {
                let byte = unread[place]
                matched = byte == [13, 10, 13, 10][matched] ? matched + 1 : (byte == 13 ? 1 : 0)
                place += 1
            }
            if matched == 4 { return RawHead(read(place)) }
            if !more() { return nil }
        }
    }

    /// Reads an answer with a length.
    func readResponse() -> (head: RawHead, body: [UInt8])? {
        guard let head = readHead() else { return nil }
        return (head, read(head["Content-Length"].flatMap { Int($0) } ?? .max))
    }

    private func more() -> Bool {
        guard end == .open || end == .silent else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // `recv` writes into the array and keeps no pointer.
        let count = unsafe recv(descriptor, &buffer, 65_536, 0)
        if count > 0 {
            unread += buffer[..<count]
            return true
        }
        end = count == 0 ? .finished : (errno == EAGAIN || errno == EWOULDBLOCK ? .silent : .reset)
        return false
    }
}

// A plain name, because the class has a `send` of its own.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
}

/// A head as it came.
struct RawHead {
    let status: Int
    let lines: [(name: String, value: String)]

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        status = text.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        lines = text.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts.last?.drop { $0 == " " } ?? ""))
        }
    }

    subscript(_ name: String) -> String? { lines.first { $0.name.lowercased() == name.lowercased() }?.value }
}

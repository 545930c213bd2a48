import NIOCore
import NIOPosix
import Testing

/// A client that sends bytes as they are written, and reads what comes back.
enum RawClient {
    static func run<Value: Sendable>(
        port: Int, _ body: @Sendable (inout RawConversation) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var conversation = RawConversation(inbound.makeAsyncIterator(), outbound)
            return try await body(&conversation)
        }
    }
}

/// What is said over one connection.
struct RawConversation {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffer: [UInt8] = []

    init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
    }

    func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }
    func send(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    /// Reads so many bytes; fewer where the connection ends before.
    mutating func read(_ count: Int) async throws -> [UInt8] {
        while buffer.count < count, let next = try await inbound.next(isolation: #isolation) {
            buffer += next.readableBytesView
        }
        defer { buffer.removeFirst(min(count, buffer.count)) }
        return Array(buffer.prefix(count))
    }

    /// Reads to the end of the connection.
    mutating func rest() async throws -> String {
        while let next = try await inbound.next(isolation: #isolation) { buffer += next.readableBytesView }
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Reads the head of an answer, up to its empty line.
    mutating func head() async throws -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let next = try await read(1)
            if next.isEmpty { break }
            head += next
        }
        return String(decoding: head, as: UTF8.self)
    }

    /// Sends a WebSocket frame as clients have to, masked (RFC 6455, section 5.3).
    func sendFrame(_ opcode: UInt8, _ text: String, isLast: Bool = true) async throws {
        let payload = Array(text.utf8)
        let mask: [UInt8] = [1, 2, 3, 4]
        var frame: [UInt8] = [opcode | (isLast ? 0x80 : 0)]
        frame +=
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        frame += mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
        try await send(frame)
    }

    /// Reads a WebSocket frame of a server; nil where the connection ends.
    mutating func frame() async throws -> (opcode: UInt8, text: String)? {
        let head = try await read(2)
        guard head.count == 2 else { return nil }
        var count = Int(head[1])
        if count == 126 { count = try await read(2).reduce(0) { $0 << 8 | Int($1) } }
        if count == 127 { count = try await read(8).reduce(0) { $0 << 8 | Int($1) } }
        return (head[0] & 15, String(decoding: try await read(count), as: UTF8.self))
    }
}

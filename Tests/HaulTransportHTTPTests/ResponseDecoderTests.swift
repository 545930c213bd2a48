import HaulTransport
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HaulTransportHTTP

@Suite("The decoder of responses")
struct ResponseDecoderTests {
    /// Records what the decoder delivers, and may answer it.
    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        var events: [String] = []
        var onEnd: (ChannelHandlerContext) -> Void = { _ in }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): events.append("\(head.status.code)")
            case .body(let body): events.append(String(buffer: body))
            case .end:
                events.append("end")
                onEnd(context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { events.append("error") }
        func channelInactive(context: ChannelHandlerContext) { events.append("closed") }
    }

    private let channel = EmbeddedChannel()
    private let decoder = ResponseDecoder()
    private let recorder = Recorder()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers(decoder, recorder)
        channel.pipeline.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    private func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    @Test("delivers one response after another, whatever the pieces", arguments: [1, 2, 7, 1000])
    func pieces(size: Int) throws {
        let response =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n0\r\nT: 1\r\n\r\n"
        for _ in 0..<2 {
            decoder.expectResponse()
            var rest = response[...]
            while !rest.isEmpty {
                try receive(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
        let text = recorder.events.joined(separator: " ").replacing("a b", with: "ab").replacing("b c", with: "bc")
        #expect(text == "200 abc end 200 abc end")
        _ = try channel.finish()
    }

    @Test("A response that comes with the end of the one before does not answer the next request")
    func tooMany() throws {
        recorder.onEnd = { [decoder] _ in decoder.expectResponse() }
        decoder.expectResponse()
        try receive("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb")
        #expect(recorder.events == ["200", "a", "end", "error"])
    }

    @Test(
        "A response without a request, and bytes that are not HTTP, are errors",
        arguments: ["HTTP/1.1 200 OK\r\n\r\n", "220 ftp ready\r\n"])
    func unexpected(text: String) throws {
        try receive(text)
        try receive("more")
        #expect(recorder.events == ["error"])
    }

    @Test("Bytes that arrive while it delivers are decoded afterwards")
    func reentrant() throws {
        recorder.onEnd = { [decoder, recorder] context in
            recorder.onEnd = { _ in }
            decoder.expectResponse()
            let next = ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\r\n")
            decoder.channelRead(
                context: (try? context.pipeline.syncOperations.context(handler: decoder)) ?? context, data: NIOAny(next)
            )
        }
        decoder.expectResponse()
        try receive("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
        #expect(recorder.events == ["200", "a", "end", "204", "end"])
        _ = try channel.finish()
    }

    @Test(
        "The end of the connection ends a body without a length, and breaks all else",
        arguments: [
            ("HTTP/1.1 200 OK\r\n\r\nab", ["200", "ab", "end", "closed"]),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", ["200", "ab", "error", "closed"]),
            ("HTTP/1.1 200 OK\r\nContent-Le", ["error", "closed"]),
        ])
    func end(text: String, events: [String]) throws {
        decoder.expectResponse()
        try receive(text)
        channel.pipeline.fireChannelInactive()
        #expect(recorder.events == events)
    }

    @Test("If what it delivers ends the connection, the end counts after the bytes that came before")
    func closedWhileDelivering() throws {
        recorder.onEnd = { $0.pipeline.fireChannelInactive() }
        decoder.expectResponse()
        try receive("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
        #expect(recorder.events == ["200", "a", "end", "closed"])
    }
}

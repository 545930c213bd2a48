import NIOCore
import NIOHTTP1

/// A part of a response that may cross threads.
typealias Aria2ResponsePart = HTTPPart<HTTPResponseHead, ByteBuffer>

/// A connection that remains HTTP: it handles one request after the other.
struct Aria2HTTPConnection {
    private let http: Aria2HTTP
    private let deadline: ConnectionDeadline

    init(_ http: Aria2HTTP, _ deadline: ConnectionDeadline) {
        self.http = http
        self.deadline = deadline
    }

    /// Serves until the client or a response ends the connection.
    func serve(_ channel: NIOAsyncChannel<HTTPServerRequestPart, Aria2ResponsePart>) async throws {
        try await channel.executeThenClose { inbound, outbound in
            var head: HTTPRequestHead?
            var body: [UInt8] = []
            for try await part in inbound {
                switch part {
                case .head(let next):
                    (head, body) = (next, [])
                    let announced = next.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
                    guard announced <= http.rpc.configuration.maxBytes else {
                        try await send(Self.tooLarge, to: outbound, closes: true)
                        return
                    }
                    if next.headers.first(name: "Expect")?.lowercased() == "100-continue" {
                        try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
                    }
                case .body(let bytes):
                    guard body.count + bytes.readableBytes <= http.rpc.configuration.maxBytes else {
                        try await send(Self.tooLarge, to: outbound, closes: true)
                        return
                    }
                    body += bytes.readableBytesView
                case .end:
                    guard let asked = head else { return }
                    deadline.lift()
                    let response = await http.respond(to: Aria2HTTP.Request(asked, body: body))
                    let closes = response.closes || !asked.isKeepAlive
                    try await send(response, to: outbound, closes: closes)
                    if closes { return }
                    deadline.set()
                }
            }
        }
    }

    private static let tooLarge = Aria2HTTP.Response(status: 413, headers: [], body: [], closes: true)

    private func send(
        _ response: Aria2HTTP.Response, to outbound: NIOAsyncChannelOutboundWriter<Aria2ResponsePart>, closes: Bool
    ) async throws {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.add(name: "Content-Length", value: String(response.body.count))
        headers.add(name: "Connection", value: closes ? "close" : "keep-alive")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        try await outbound.write(contentsOf: [.head(head), .body(ByteBuffer(bytes: response.body)), .end(nil)])
    }
}

/// Allows buffers as bodies of responses.
final class Aria2ResponseHandler: ChannelOutboundHandler {
    typealias OutboundIn = Aria2ResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(let head): context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes): context.write(Self.wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers): context.write(Self.wrapOutboundOut(.end(trailers)), promise: promise)
        }
    }
}

extension Aria2HTTP.Request {
    /// Creates a request from NIO's.
    init(_ head: HTTPRequestHead, body: [UInt8]) {
        self.init(
            method: head.method.rawValue, target: head.uri, host: head.headers.first(name: "Host"),
            origin: head.headers.first(name: "Origin"),
            wantedHeaders: head.headers.first(name: "Access-Control-Request-Headers"), body: body)
    }
}

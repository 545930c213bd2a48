import HaulCore
import HaulTransport
import NIOCore

/// Requests a tunnel from an HTTP proxy, and completes a promise with the result (RFC 9110, section 9.3.6).
///
/// AsyncHTTPClient can do that as well, but sends no port in `Host`, which HAProxy refuses (RFC 9112, section 3.2: the
/// field must equal the target), and does not reveal the proxy's response.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let largestHead = 64 << 10
    private static let newlines: [[UInt8]] = [[13, 10, 13, 10], [10, 10]]

    private let request: String
    private let proxy: Proxy
    private var established: EventLoopPromise<Void>?
    private var response = ByteBuffer()

    /// Creates a handler for `host:port`.
    ///
    /// Once it is added to a pipeline, the promise is certain to be completed.
    init(to authority: String, by proxy: Proxy, established: EventLoopPromise<Void>) {
        let authorization = proxy.authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
        request = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(authorization)\r\n"
        self.established = established
        self.proxy = proxy
    }

    func handlerAdded(context: ChannelHandlerContext) {
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(TransportError(.cut, "the connection to the proxy was closed"))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        guard established != nil else { return }
        response.writeBuffer(&bytes)
        if let problem = TransportError(ResponseStart(response.readableBytesView)) { return self.end(problem) }
        guard let end = headEnd else {
            if response.readableBytes > Self.largestHead {
                self.end(TransportError(.badResponse, "the proxy's response has no end"))
            }
            return
        }
        let head = String(buffer: response.getSlice(at: response.readerIndex, length: end) ?? response)
        self.end(Self.failure(head, hasMore: end < response.readableBytes, hasLogin: proxy.credentials != nil))
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(TransportError(.cut, "the proxy closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(TransportError(error))
        context.fireErrorCaught(error)
    }

    private func end(_ failure: TransportError?) {
        let promise = established
        established = nil
        guard var failure else {
            promise?.succeed()
            return
        }
        failure.proxy = proxy.description
        promise?.fail(failure)
    }

    /// The number of bytes of the head, including the empty line after it.
    private var headEnd: Int? {
        let bytes = Array(response.readableBytesView)
        return Self.newlines.compactMap { mark in
            bytes.indices.dropLast(mark.count - 1).first { bytes[$0..<($0 + mark.count)].elementsEqual(mark) }
                .map { $0 + mark.count }
        }.min()
    }

    /// Returns the reason why there is no tunnel; nil if there is one.
    ///
    /// Bytes after a success would be the origin's. But in TLS the client speaks first, so they come from another
    /// party.
    static func failure(_ head: String, hasMore: Bool, hasLogin: Bool) -> TransportError? {
        let line = head.unicodeScalars.prefix { $0 != "\r" && $0 != "\n" }
        let words = String(line).split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].hasPrefix("HTTP/1."), let code = Int(words[1].prefix(3)) else {
            return TransportError(.badResponse, "the proxy's response is not HTTP")
        }
        switch code {
        case 200..<300: return hasMore ? TransportError(.badResponse, "the proxy sent unexpected data") : nil
        case 407:
            let reason: DownloadError.Detail = hasLogin ? .proxyLoginRefused : .proxyLoginNeeded
            return TransportError(.proxyNotAuthorized, statusLine(407), reason)
        case _:
            // The proxy's own words might repeat its password.
            return TransportError(.proxyRefused, "did not connect to the host: it returned \(statusLine(code))")
        }
    }
}

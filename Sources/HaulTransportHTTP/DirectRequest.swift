import HTTPTypes
import HaulTransport
import NIOCore
import NIOHTTP1

/// A request as it goes over a connection of Haul's own.
struct DirectRequest {
    /// What it asks for and of whom, for the handlers on its way.
    let head: HTTPRequestHead
    /// All of it, as it is sent (RFC 9112, section 3).
    let bytes: ByteBuffer

    /// The GET that a transfer asks for.
    init(_ request: TransferRequest, to target: RequestTarget, at origin: DirectOrigin) {
        head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: target.target, headers: ["Host": origin.authority])
        var text: [UInt8] = []
        text.reserveCapacity(512)
        // Quicker than to a text, by half.
        func add(_ part: String) { text.append(contentsOf: part.utf8) }
        add("GET ")
        add(target.target)
        add(" HTTP/1.1\r\nHost: ")
        add(origin.authority)
        // HTTPTypes takes no name and keeps no value that could end its line (RFC 9110, section 5.5).
        for field in request.headers
        where field.name.canonicalName != "host" && field.name.canonicalName != "proxy-authorization" {
            add("\r\n")
            add(field.name.rawName)
            add(": ")
            add(field.value)
        }
        add("\r\n\r\n")
        bytes = ByteBuffer(bytes: text)
    }
}

/// Sends the bytes of a request in place of its head.
///
/// NIO's decoder wants to see the head: by its method it knows what the answer may be. NIO's encoder would write the fields one by one.
final class DirectEncoder: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    /// The request that comes next.
    var bytes = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}

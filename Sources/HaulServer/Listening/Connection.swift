import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import NIOWebSocket

/// What a connection has become by its first request.
enum Connection: Sendable {
    /// One that speaks HTTP.
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    /// One that speaks another protocol's frames.
    case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, WebSocketMount)
}

import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import NIOWebSocket

/// What a connection has become by its first request.
enum ServedConnection: Sendable {
    /// One that speaks HTTP.
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    /// One that speaks another protocol's frames.
    case webSocket(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, WebSocketMount)
}

/// A connection whose first request has not come yet.
struct NewConnection: Sendable {
    /// The connection.
    let channel: any Channel
    /// What it will have become.
    let future: EventLoopFuture<ServedConnection>
}

package import HTTPTypes
import HummingbirdCore
package import NIOCore
package import NIOWebSocket

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The content served in addition to the API: the web page's files, and other protocols at their own paths.
package struct Mounts: Sendable {
    /// The embedded files, by path.
    package var files: [String: EmbeddedFile] = [:]
    /// Other protocols over HTTP requests.
    package var requests: [RequestMount] = []
    /// Other protocols over WebSocket.
    package var webSockets: [WebSocketMount] = []

    /// Makes an empty list.
    package init() {}

    /// The routes of files and HTTP requests.
    var routes: [APIRoute] {
        files.map { path, file in
            APIRoute(.get, path, rule: .open) { _ in
                var response = Response.bytes(file.bytes, type: file.type)
                response.headers[.cacheControl] = "no-cache"
                return response
            }
        }
            + requests.flatMap { mount in
                mount.methods.map { method in
                    APIRoute(method, mount.path, rule: mount.rule, largestBody: mount.largestBody) { request in
                        let answer = await mount.answer(
                            MountedRequest(
                                method: request.head.method, query: request.head.query,
                                headers: request.head.headerFields,
                                body: request.body, isLocal: request.isLocal))
                        var response = Response.bytes(answer.body, type: answer.type, status: answer.status)
                        for field in answer.headers { response.headers[field.name] = field.value }
                        return response
                    }
                }
            }
    }
}

/// A file embedded in the program.
package struct EmbeddedFile: Sendable {
    /// The content.
    package let bytes: [UInt8]
    /// The media type, with a charset for text.
    package let type: String

    /// Makes a file.
    package init(bytes: [UInt8], type: String) { (self.bytes, self.type) = (bytes, type) }
}

/// Another protocol over HTTP requests: bytes in, bytes out.
package struct RequestMount: Sendable {
    /// The path.
    package var path: String
    /// The accepted methods.
    package var methods: [HTTPRequest.Method]
    /// The checks for requests; `Host` is always checked.
    package var rule: RouteRule
    /// The maximum size of a body.
    package var largestBody: Int
    /// Responds to a request.
    package var answer: @Sendable (MountedRequest) async -> MountedResponse

    /// Makes a mount.
    package init(
        _ path: String, methods: [HTTPRequest.Method], rule: RouteRule, largestBody: Int = APIRequest.largestBody,
        answer: @escaping @Sendable (MountedRequest) async -> MountedResponse
    ) {
        (self.path, self.methods, self.rule, self.largestBody) = (path, methods, rule, largestBody)
        self.answer = answer
    }
}

/// A request to a mounted protocol.
package struct MountedRequest: Sendable {
    /// The method.
    package let method: HTTPRequest.Method
    /// The query as sent, without the question mark.
    package let query: String?
    /// The headers.
    package let headers: HTTPFields
    /// The body.
    package let body: Data
    /// True if it came over the Unix socket.
    package let isLocal: Bool
}

/// A response of a mounted protocol.
package struct MountedResponse: Sendable {
    /// The status.
    package var status: HTTPResponse.Status
    /// The media type of the body.
    package var type: String
    /// Additional headers.
    package var headers: HTTPFields
    /// The body.
    package var body: [UInt8]

    /// Makes a response.
    package init(_ status: HTTPResponse.Status = .ok, type: String, headers: HTTPFields = [:], body: [UInt8]) {
        (self.status, self.type, self.headers, self.body) = (status, type, headers, body)
    }
}

/// Another protocol over WebSocket (RFC 6455).
package struct WebSocketMount: Sendable {
    /// The path.
    package var path: String
    /// The checks for the opening request; `Host` is always checked.
    package var rule: RouteRule
    /// The maximum size of a frame.
    package var largestFrame: Int
    /// Serves one connection until it ends; its task is cancelled when the daemon stops.
    package var serve: @Sendable (NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, _ isLocal: Bool) async -> Void

    /// Makes a mount.
    package init(
        _ path: String, rule: RouteRule, largestFrame: Int = APIRequest.largestBody,
        serve: @escaping @Sendable (NIOAsyncChannel<WebSocketFrame, WebSocketFrame>, _ isLocal: Bool) async -> Void
    ) {
        (self.path, self.rule, self.largestFrame, self.serve) = (path, rule, largestFrame, serve)
    }
}

extension HTTPRequest {
    /// The query as sent, if there is one.
    var query: String? {
        path.flatMap { path in path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) } }
    }
}

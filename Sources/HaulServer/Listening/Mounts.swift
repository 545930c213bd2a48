package import HTTPTypes
import HummingbirdCore
package import NIOCore
package import NIOWebSocket

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What is served besides the API: the page's files, and other protocols at paths of their own.
package struct Mounts: Sendable {
    /// Files that are part of the program, by path.
    package var files: [String: EmbeddedFile] = [:]
    /// Other protocols over plain requests.
    package var requests: [RequestMount] = []
    /// Other protocols over WebSocket.
    package var webSockets: [WebSocketMount] = []

    /// Makes an empty list.
    package init() {}

    /// The routes of files and plain requests.
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

/// A file that is part of the program.
package struct EmbeddedFile: Sendable {
    /// What is in it.
    package let bytes: [UInt8]
    /// Its media type, with a charset where it is text.
    package let type: String

    /// Makes a file.
    package init(bytes: [UInt8], type: String) { (self.bytes, self.type) = (bytes, type) }
}

/// Another protocol over plain requests: bytes in, bytes out.
package struct RequestMount: Sendable {
    /// Its path.
    package var path: String
    /// The methods that it answers.
    package var methods: [HTTPRequest.Method]
    /// What is asked of requests; the `Host` is looked at in any case.
    package var rule: RouteRule
    /// The largest body that is read.
    package var largestBody: Int
    /// Answers a request.
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

/// What a mounted protocol hears.
package struct MountedRequest: Sendable {
    /// The method.
    package let method: HTTPRequest.Method
    /// The query as it was sent, without the question mark.
    package let query: String?
    /// The headers.
    package let headers: HTTPFields
    /// The body.
    package let body: Data
    /// Whether it came over the Unix socket.
    package let isLocal: Bool
}

/// What a mounted protocol answers.
package struct MountedResponse: Sendable {
    /// The status.
    package var status: HTTPResponse.Status
    /// The body's media type.
    package var type: String
    /// Further headers.
    package var headers: HTTPFields
    /// The body.
    package var body: [UInt8]

    /// Makes an answer.
    package init(_ status: HTTPResponse.Status = .ok, type: String, headers: HTTPFields = [:], body: [UInt8]) {
        (self.status, self.type, self.headers, self.body) = (status, type, headers, body)
    }
}

/// Another protocol over WebSocket (RFC 6455).
package struct WebSocketMount: Sendable {
    /// Its path.
    package var path: String
    /// What is asked of the request that begins it; the `Host` is looked at in any case.
    package var rule: RouteRule
    /// The largest frame that is read.
    package var largestFrame: Int
    /// Serves one connection until it ends; its task is cancelled when the daemon leaves.
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
    /// The query as it was sent, if there is one.
    var query: String? {
        path.flatMap { path in path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) } }
    }
}

package import HTTPTypes
package import HaulCore
package import HaulWire
package import NIOCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A request that has passed the gate, with everything that its route may need.
package struct APIRequest: Sendable {
    /// The method, path and headers.
    package let head: HTTPRequest
    /// The decoded query parameters, in order.
    package let query: [(name: String, value: String)]
    /// The download in the path, if the route has one.
    package let id: DownloadID?
    /// The body, at most of the size that the route allows.
    package let body: Data
    /// The client.
    package let caller: Caller
    /// True if it came over the Unix socket.
    package let isLocal: Bool
    /// Succeeds when the connection has ended.
    package let gone: EventLoopFuture<Void>

    /// The maximum size of a body in bytes.
    package static let largestBody = 1 << 20

    /// Decodes the message in the body; a missing body counts as `{}`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the bytes are not such a message, are nested too deeply,
    ///   or have a duplicate field.
    package func message<Message: KnownFields>(_ type: Message.Type) throws(DownloadError) -> Message {
        guard JSONDepth.isAtMost(JSONDepth.maximum, in: body) else {
            throw DownloadError(.invalidRequest, "the body is nested too deep (limit: \(JSONDepth.maximum))")
        }
        if let name = JSONKeys.firstDuplicate(in: body) {
            throw DownloadError(
                .invalidRequest, "the body has \"\(URLRedaction.quoted(name, width: 40))\" twice in one object")
        }
        return try WireJSON.decode(Checked<Message>.self, from: body.isEmpty ? Data("{}".utf8) : body).message
    }

    /// Returns the download in the path.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload` if it is not a number.
    package func download() throws(DownloadError) -> DownloadID {
        guard let id else { throw DownloadError(.noSuchDownload, "the id in the path must be a number") }
        return id
    }

    /// Returns the value of a query parameter, the last one if there are several.
    package func value(_ name: String) -> String? { query.last { $0.name == name }?.value }

    /// Returns all values of a query parameter; nil if there are none.
    package func values(_ name: String) -> [String]? {
        let found = query.filter { $0.name == name }.map(\.value)
        return found.isEmpty ? nil : found
    }
}

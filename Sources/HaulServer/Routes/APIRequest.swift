package import HTTPTypes
package import HaulCore
package import HaulWire
package import NIOCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A request that has passed the gate, with what its route may need of it.
package struct APIRequest: Sendable {
    /// Method, path and headers.
    package let head: HTTPRequest
    /// The query's fields, in order, decoded.
    package let query: [(name: String, value: String)]
    /// The download in the path, if the route has one.
    package let id: DownloadID?
    /// The body, at most as long as the route allows.
    package let body: Data
    /// Whether it came over the Unix socket.
    package let isLocal: Bool
    /// Is fulfilled when the connection has ended.
    package let gone: EventLoopFuture<Void>

    /// The largest body that the API reads.
    package static let largestBody = 1 << 20

    /// The message in the body; without a body, that of `{}`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the bytes are not such a message, are nested too deeply, or have a field twice.
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

    /// The download that the path names.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload` where that is no number.
    package func download() throws(DownloadError) -> DownloadID {
        guard let id else { throw DownloadError(.noSuchDownload, "the id in the path must be a number") }
        return id
    }

    /// The value of a field of the query, the last one if there are several.
    package func value(_ name: String) -> String? { query.last { $0.name == name }?.value }

    /// All values of a field of the query; nil where there is none.
    package func values(_ name: String) -> [String]? {
        let found = query.filter { $0.name == name }.map(\.value)
        return found.isEmpty ? nil : found
    }
}

/// Decides the answer to one request.
///
/// It is called on the thread of the connection.
package typealias ServerBehaviour = @Sendable (RequestFacts) -> ServerScript

/// Something a server serves: content, what is said about it, and how the server behaves about it.
///
/// Left alone it is served right, with a strong ETag and a strong Last-Modified.
package struct Resource: Sendable {
    var content: Content
    var etag: String?
    var lastModified: String? = "Wed, 01 Jan 2025 12:00:00 GMT"
    var contentType: String? = "application/octet-stream"
    var contentDisposition: String?
    var acceptsRanges = true
    var headers: [HeaderLine] = []
    var behaviour: ServerBehaviour = { _ in .normal }

    /// A file of generated content: see `TestBytes`.
    package static func file(seed: UInt64, size: Int64) -> Resource {
        Resource(content: .generated(TestBytes(seed: seed), size: max(0, size)), etag: "\"\(seed)-\(size)\"")
    }

    /// A file of these bytes.
    package static func bytes(_ bytes: [UInt8]) -> Resource {
        let sum = bytes.reduce(UInt64(bytes.count)) { SeededGenerator.mix($0 &+ UInt64($1)) }
        return Resource(content: .literal(bytes), etag: "\"\(String(sum, radix: 16))\"")
    }

    /// A file of this text.
    package static func text(_ text: String) -> Resource { bytes(Array(text.utf8)) }

    /// A resource of no content that leads elsewhere.
    package static func redirect(to location: String, status: Int = 302) -> Resource {
        text("").script { _ in .redirect(to: location, status: status) }
    }

    /// How many bytes it has.
    package var size: Int64 { content.size }

    /// The right bytes of a range, for comparison.
    package func bytes(_ range: Range<Int64>) -> [UInt8] { content.bytes(range.clamped(to: 0..<size)) }

    /// All its right bytes.
    package var allBytes: [UInt8] { bytes(0..<size) }
}

extension Resource {
    /// Sends this ETag, or none.
    ///
    /// Quotes and `W/` belong to the text.
    package func etag(_ etag: String?) -> Resource { with { $0.etag = etag } }

    /// Sends this Last-Modified, or none.
    package func lastModified(_ date: String?) -> Resource { with { $0.lastModified = date } }

    /// Was last modified so many seconds before this call: under 60 s that is a weak validator (RFC 9110, 8.8.2.2).
    package func lastModified(secondsAgo seconds: Int) -> Resource {
        with { $0.lastModified = ServerDate.text(ServerDate.now - Int64(seconds)) }
    }

    /// Sends this Content-Type, or none.
    package func contentType(_ type: String?) -> Resource { with { $0.contentType = type } }

    /// Sends this Content-Disposition.
    package func contentDisposition(_ value: String) -> Resource { with { $0.contentDisposition = value } }

    /// Is served whole only: ranges are ignored, and no Accept-Ranges is sent.
    package func withoutRanges() -> Resource { with { $0.acceptsRanges = false } }

    /// Sends one more header, or another value for one of the usual ones.
    package func header(_ name: String, _ value: String) -> Resource {
        with { $0.headers.append(HeaderLine(name, value)) }
    }

    /// Answers every request as the closure says.
    ///
    /// It is called on the thread of the connection.
    package func script(_ behaviour: @escaping ServerBehaviour) -> Resource { with { $0.behaviour = behaviour } }

    /// Answers every request in this way.
    package func script(_ script: ServerScript) -> Resource { with { $0.behaviour = { _ in script } } }

    /// Answers at most so many requests of the whole server at a time, and the others as said: 503, 429, a reset.
    package func limit(concurrent limit: Int, otherwise refusal: ServerScript = .status(503)) -> Resource {
        let inner = behaviour
        return script { $0.concurrent > limit ? refusal : inner($0) }
    }

    /// Is good for so many requests: later ones get a status, as links do that are signed for one use.
    package func goodFor(_ count: Int, then status: Int = 403) -> Resource {
        let inner = behaviour
        return script { $0.number > count ? .status(status) : inner($0) }
    }

    /// What stands at one name on several servers, which answer in turn: `choice` says which one answers the n-th request.
    package static func edges(
        _ edges: [Resource], choice: @escaping @Sendable (RequestFacts) -> Int = { $0.number - 1 }
    ) -> Resource {
        edges[0].script { facts in
            let edge = edges[choice(facts) % edges.count]
            return edge.behaviour(facts).serving(edge)
        }
    }

    private func with(_ change: (inout Resource) -> Void) -> Resource {
        var copy = self
        change(&copy)
        return copy
    }
}

import HaulTestData

/// Decides the response to one request.
///
/// Called on the thread of the connection.
public typealias ServerBehaviour = @Sendable (RequestFacts) -> ServerScript

/// A resource of a server: its content, its metadata, and the behaviour of the server.
///
/// By default it is served correctly, with a strong ETag and a strong Last-Modified.
public struct Resource: Sendable {
    var content: Content
    var etag: String?
    var lastModified: String? = "Wed, 01 Jan 2025 12:00:00 GMT"
    var contentType: String? = "application/octet-stream"
    var contentDisposition: String?
    var acceptsRanges = true
    var headers: [HeaderLine] = []
    var behaviour: ServerBehaviour = { _ in .normal }

    /// Returns a file with generated content: see `TestBytes`.
    public static func file(seed: UInt64, size: Int64) -> Resource {
        Resource(content: .generated(TestBytes(seed: seed), size: max(0, size)), etag: "\"\(seed)-\(size)\"")
    }

    /// Returns a file with these bytes.
    public static func bytes(_ bytes: [UInt8]) -> Resource {
        let sum = bytes.reduce(UInt64(bytes.count)) { SeededGenerator.mix($0 &+ UInt64($1)) }
        return Resource(content: .literal(bytes), etag: "\"\(String(sum, radix: 16))\"")
    }

    /// Returns a file with this text.
    public static func text(_ text: String) -> Resource { bytes(Array(text.utf8)) }

    /// Returns a resource that redirects to a location.
    public static func redirect(to location: String, status: Int = 302) -> Resource {
        text("").script { _ in .redirect(to: location, status: status) }
    }

    /// The number of bytes.
    public var size: Int64 { content.size }

    /// Returns the correct bytes of a range, for comparison.
    public func bytes(_ range: Range<Int64>) -> [UInt8] { content.bytes(range.clamped(to: 0..<size)) }

    /// All correct bytes.
    public var allBytes: [UInt8] { bytes(0..<size) }
}

extension Resource {
    /// Sends this ETag, or none.
    ///
    /// The text includes the quotes and `W/`.
    public func etag(_ etag: String?) -> Resource { with { $0.etag = etag } }

    /// Sends this Last-Modified, or none.
    public func lastModified(_ date: String?) -> Resource { with { $0.lastModified = date } }

    /// Sends a Last-Modified some seconds before this call: under 60 s, that is a weak validator (RFC 9110, 8.8.2.2).
    public func lastModified(secondsAgo seconds: Int) -> Resource {
        with { $0.lastModified = ServerDate.text(ServerDate.now - Int64(seconds)) }
    }

    /// Sends this Content-Type, or none.
    public func contentType(_ type: String?) -> Resource { with { $0.contentType = type } }

    /// Sends this Content-Disposition.
    public func contentDisposition(_ value: String) -> Resource { with { $0.contentDisposition = value } }

    /// Ignores ranges, and sends no Accept-Ranges.
    public func withoutRanges() -> Resource { with { $0.acceptsRanges = false } }

    /// Adds a header, or replaces a default one.
    public func header(_ name: String, _ value: String) -> Resource {
        with { $0.headers.append(HeaderLine(name, value)) }
    }

    /// Answers every request with the closure's script.
    ///
    /// The closure is called on the thread of the connection.
    public func script(_ behaviour: @escaping ServerBehaviour) -> Resource { with { $0.behaviour = behaviour } }

    /// Answers every request with this script.
    public func script(_ script: ServerScript) -> Resource { with { $0.behaviour = { _ in script } } }

    /// Answers at most `limit` requests of the whole server at a time, and refuses the others: 503, 429, a reset.
    public func limit(concurrent limit: Int, otherwise refusal: ServerScript = .status(503)) -> Resource {
        let inner = behaviour
        return script { $0.concurrent > limit ? refusal : inner($0) }
    }

    /// Answers `count` requests; later ones get a status, as with links that are signed for one use.
    public func goodFor(_ count: Int, then status: Int = 403) -> Resource {
        let inner = behaviour
        return script { $0.number > count ? .status(status) : inner($0) }
    }

    /// Returns a resource served by several servers in turn: `choice` returns the index of the server for a request.
    public static func edges(
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

/// The bytes of a resource.
enum Content: Sendable {
    case literal([UInt8])
    case generated(TestBytes, size: Int64)

    var size: Int64 {
        switch self {
        case .literal(let bytes): Int64(bytes.count)
        case .generated(_, let size): size
        }
    }

    /// Returns the bytes of a range.
    ///
    /// Beyond the end, generated content continues, and literal content is zero: shifted and endless bodies need that.
    func bytes(_ range: Range<Int64>) -> [UInt8] {
        switch self {
        case .generated(let source, _): return source.bytes(range)
        case .literal(let bytes):
            let inside = range.clamped(to: 0..<Int64(bytes.count))
            let known = bytes[Int(inside.lowerBound)..<Int(inside.upperBound)]
            return known + [UInt8](repeating: 0, count: range.count - known.count)
        }
    }
}

/// How one request is answered: right, or with any number of faults.
///
/// Faults are chained, `.normal.throttle(50_000).cut(after: 100_000)`, and each is also a start of its own:
/// `.cut(after: 9)`. Counts of body bytes are of the body without its chunk framing.
package struct ServerScript: Sendable {
    var kind = AnswerKind.automatic
    var resource: Resource?
    var head = HeadFaults()
    var body = BodyFaults()
    var framing = Framing.length
    var pace = Pace()
    var breaks: [Break] = []

    /// The right answer.
    package static let normal = ServerScript()

    func with(_ change: (inout ServerScript) -> Void) -> ServerScript {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Which answer a request gets.
enum AnswerKind: Sendable {
    /// As RFC 9110 says.
    case automatic
    /// 200 with everything, whatever range is asked for.
    case whole
    /// 200 with the part that was asked for.
    case partCalledWhole
    /// 206 with no more than so many bytes of the range.
    case atMost(Int64)
    /// 206 with another range than the one asked for, and an honest Content-Range.
    case moved(Int64)
    /// 206 as multipart/byteranges.
    case multipart
    /// A status with a body of its own.
    case status(Int, [UInt8])
    /// These bytes instead of a response, then perhaps the end.
    case raw([UInt8], closes: Bool)
}

/// What is wrong with the head.
struct HeadFaults: Sendable {
    var etag: Replacement = .asIs
    var set: [HeaderLine] = []
    var removed: [String] = []
    var contentRange: ContentRangeFault?
    var contentLength: Replacement = .asIs
    var ignoresIfRange = false
    var refusesIfRange = false
    var flood = 0
    var interim: [[UInt8]] = []
    var closes = false

    /// What becomes of a header.
    enum Replacement: Sendable {
        case asIs
        case absent
        case text(String)
    }
}

/// What is wrong with the bytes of the body.
struct BodyFaults: Sendable {
    var shift: Int64 = 0
    var flips: [Int64] = []
    /// So many bytes fewer than announced.
    var missing: Int64 = 0
    /// So many bytes more than announced.
    var surplus: Int64 = 0
    var isEndless = false
    var isGzipped = false
}

/// How fast the answer comes.
struct Pace: Sendable {
    var delay: Duration?
    var bytesPerSecond: Int64?
    var perHeadByte: Duration?
}

/// What happens at a place of the answer.
struct Break: Sendable {
    enum Place: Sendable, Equatable {
        case beforeHead
        case inHead(Int)
        case body(Int64)
    }

    enum Act: Sendable, Equatable {
        case cut
        case reset
        /// Silence for a while, or until the server stops.
        case stall(Duration?)
    }

    let place: Place
    let act: Act
}

/// How the end of the body is marked.
package enum Framing: Sendable, Equatable {
    /// Content-Length.
    case length
    /// The end of the connection.
    case untilClose
    /// Chunks of at most so many bytes.
    case chunked(size: Int, fault: ChunkFault? = nil)
}

/// What is wrong with the chunks.
package enum ChunkFault: Sendable, Equatable {
    /// In place of the first size at or behind so many body bytes stands this text.
    case size(String, after: Int64)
    /// The last chunk is missing: the connection ends instead.
    case noLastChunk
}

/// A lie about which part of the file the body is.
package enum ContentRangeFault: Sendable, Equatable {
    /// Both offsets are moved by so much.
    case moved(by: Int64)
    /// The last offset is moved by so much.
    case lastMoved(by: Int64)
    /// The total is another, or `*`.
    case total(Int64?)
    /// The unit is another.
    case unit(String)
    /// The value is this text.
    case text(String)
    /// There is no Content-Range.
    case missing
}

/// A script for the response to one request: correct, or with any number of faults.
///
/// Faults are chained, `.normal.throttle(50_000).cut(after: 100_000)`, and each one is also a starting point:
/// `.cut(after: 9)`. Counts of body bytes do not include the chunk framing.
public struct ServerScript: Sendable {
    var kind = AnswerKind.automatic
    var resource: Resource?
    var head = HeadFaults()
    var body = BodyFaults()
    var framing = Framing.length
    var pace = Pace()
    var breaks: [Break] = []

    /// The correct response.
    public static let normal = ServerScript()

    func with(_ change: (inout ServerScript) -> Void) -> ServerScript {
        var copy = self
        change(&copy)
        return copy
    }
}

/// The kinds of responses.
enum AnswerKind: Sendable {
    /// The response that RFC 9110 requires.
    case automatic
    /// 200 with the whole content, regardless of the requested range.
    case whole
    /// 200 with the requested part.
    case partCalledWhole
    /// 206 with at most this number of bytes of the range.
    case atMost(Int64)
    /// 206 with another range than the requested one, and a correct Content-Range.
    case moved(Int64)
    /// 206 as multipart/byteranges.
    case multipart
    /// A status with its own body.
    case status(Int, [UInt8])
    /// These bytes instead of a response; then the connection may end.
    case raw([UInt8], closes: Bool)
}

/// The faults of the head.
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

    /// The change of a header.
    enum Replacement: Sendable {
        case asIs
        case absent
        case text(String)
    }
}

/// The faults of the body's bytes.
struct BodyFaults: Sendable {
    var shift: Int64 = 0
    var flips: [Int64] = []
    /// The number of announced bytes that are not sent.
    var missing: Int64 = 0
    /// The number of bytes sent beyond the announced ones.
    var surplus: Int64 = 0
    var isEndless = false
    var isGzipped = false
}

/// The speed of the response.
struct Pace: Sendable {
    var delay: Duration?
    var bytesPerSecond: Int64?
    var perHeadByte: Duration?
}

/// A fault at a position of the response.
struct Break: Sendable {
    enum Place: Sendable, Equatable {
        case beforeHead
        case inHead(Int)
        case body(Int64)
    }

    enum Act: Sendable, Equatable {
        case cut
        case reset
        /// A pause for a while, or until the server stops.
        case stall(Duration?)
    }

    let place: Place
    let act: Act
}

/// The ways to mark the end of the body.
public enum Framing: Sendable, Equatable {
    /// Content-Length.
    case length
    /// The end of the connection.
    case untilClose
    /// Chunks of at most `size` bytes.
    case chunked(size: Int, fault: ChunkFault? = nil)
}

/// The faults of chunks.
public enum ChunkFault: Sendable, Equatable {
    /// This text replaces the first chunk size at or after this number of body bytes.
    case size(String, after: Int64)
    /// The last chunk is missing: the connection ends instead.
    case noLastChunk
}

/// The errors in Content-Range.
public enum ContentRangeFault: Sendable, Equatable {
    /// Both offsets are moved.
    case moved(by: Int64)
    /// The last offset is moved.
    case lastMoved(by: Int64)
    /// The total is this one, or `*` for nil.
    case total(Int64?)
    /// The unit is this one.
    case unit(String)
    /// The value is this text.
    case text(String)
    /// There is no Content-Range.
    case missing
}

/// A response that is ready to be sent: plain data, decided before the first byte is sent.
struct Reply: Sendable {
    /// The bytes before the head: interim responses.
    var interim: [UInt8] = []
    /// The head; empty if garbage is sent instead.
    var head: [UInt8] = []
    /// The status, for the log.
    var status = 0
    /// The pieces of the body.
    var body: [BodyPiece] = []
    /// The maximum number of bytes of the body that are sent.
    var limit = Int64.max
    /// The framing of the body.
    var framing = Framing.length
    /// True if the connection ends after the response.
    var closes = false
    /// The speed of the response.
    var pace = Pace()
    /// The faults while sending.
    var breaks: [Break] = []
    /// The range of the file in the body, for the log; nil if the body is something else.
    var served: Range<Int64>?
}

/// A piece of a body.
enum BodyPiece: Sendable {
    /// Literal bytes.
    case literal([UInt8])
    /// A range of a content, with the bytes at some offsets flipped.
    case content(Content, Range<Int64>, flips: [Int64])
    /// Endless zeros.
    case endless

    var count: Int64 {
        switch self {
        case .literal(let bytes): Int64(bytes.count)
        case .content(_, let range, _): Int64(range.count)
        case .endless: .max
        }
    }
}

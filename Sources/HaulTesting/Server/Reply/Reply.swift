/// An answer, ready to be played: plain data, decided before a byte is sent.
struct Reply: Sendable {
    /// What stands before the head: interim answers.
    var interim: [UInt8] = []
    /// The head; empty where garbage comes instead.
    var head: [UInt8] = []
    /// The status, for the log.
    var status = 0
    /// The body, in pieces.
    var body: [BodyPiece] = []
    /// How many bytes of it are sent at most.
    var limit = Int64.max
    /// How its end is marked.
    var framing = Framing.length
    /// Whether the connection ends behind it.
    var closes = false
    /// How fast it comes.
    var pace = Pace()
    /// What happens on the way.
    var breaks: [Break] = []
    /// Which bytes of the file the body is, for the log; nothing where it is none of them.
    var served: Range<Int64>?
}

/// A piece of a body.
enum BodyPiece: Sendable {
    /// These bytes.
    case literal([UInt8])
    /// This range of a content, with the bytes at some offsets turned.
    case content(Content, Range<Int64>, flips: [Int64])
    /// Zeros without end.
    case endless

    var count: Int64 {
        switch self {
        case .literal(let bytes): Int64(bytes.count)
        case .content(_, let range, _): Int64(range.count)
        case .endless: .max
        }
    }
}

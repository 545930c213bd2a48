/// Cuts a stream of bytes into lines and holds never more than one chunk and one line.
package struct LineSplitter: Sendable {
    /// The longest line in bytes; what is longer is no URL.
    package static let maxLine = 64 * 1024

    /// A line of the list.
    package enum Line: Hashable, Sendable {
        /// The line without its end.
        case text(String)
        /// A line that is not UTF-8 and not a comment.
        case notText(isIndented: Bool)
        /// A line longer than `maxLine`; it was skipped.
        case tooLong
    }

    private var buffer: [UInt8] = []
    private var start = 0
    /// Before this place there is no line end: bytes that come one by one are looked at once.
    private var searched = 0
    private var skipping = false
    private var ended = false

    /// Makes an empty splitter.
    package init() {}

    /// Adds the bytes that were read; none mean the end.
    package mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        searched = max(0, searched - start)
        start = 0
        buffer += bytes
        if bytes.isEmpty { ended = true }
    }

    /// The next whole line, or nil where more bytes are needed or none are left.
    package mutating func next() -> Line? {
        if let end = buffer[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) {
            defer { start = end + 1 }
            return line(upTo: end)
        }
        searched = buffer.count
        if ended, start < buffer.count || skipping {
            defer { start = buffer.count }
            return line(upTo: buffer.count)
        }
        if buffer.count - start > Self.maxLine {
            start = buffer.count
            skipping = true
        }
        return nil
    }

    private mutating func line(upTo end: Int) -> Line {
        defer { skipping = false }
        guard !skipping, end - start <= Self.maxLine else { return .tooLong }
        let bytes = buffer[start..<end]
        if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
        let blanks = " \t".utf8
        let isComment = bytes.first { !blanks.contains($0) } == UInt8(ascii: "#")
        return isComment
            ? .text(String(decoding: bytes, as: UTF8.self))
            : .notText(isIndented: bytes.first.map(blanks.contains) == true)
    }
}

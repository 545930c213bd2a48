/// Splits a stream of bytes into records: lines, or with quotes, records of RFC 4180, which may contain line breaks.
///
/// It keeps at most one chunk and one record.
struct RecordSplitter: Sendable {
    /// The maximum length of a record in bytes; longer ones are skipped.
    static let maxRecord = 1 << 20

    /// A record without its line break; the bytes are nil if it was too long.
    struct Record: Hashable, Sendable {
        var bytes: ArraySlice<UInt8>?
    }

    /// The place in a record: a quote has a meaning only at the start of a field and inside a quoted one.
    private enum Place {
        case fieldStart, plain, quoted, afterQuote

        func after(_ byte: UInt8) -> Place {
            switch (self, byte) {
            case (.quoted, UInt8(ascii: "\"")): .afterQuote
            case (.quoted, _): .quoted
            case (.fieldStart, UInt8(ascii: "\"")), (.afterQuote, UInt8(ascii: "\"")): .quoted
            case (_, UInt8(ascii: ",")): .fieldStart
            case (_, _): .plain
            }
        }
    }

    private let hasQuotes: Bool
    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0
    private var place = Place.fieldStart
    private var isSkipping = false
    private var isEnded = false
    private var isAtStart = true

    init(hasQuotes: Bool) { self.hasQuotes = hasQuotes }

    /// True if the end was marked and every record was returned.
    var isFinished: Bool { isEnded && start >= buffer.count && !isSkipping }

    /// Adds bytes; an empty array marks the end.
    mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        searched -= start
        start = 0
        buffer += bytes
        if bytes.isEmpty { isEnded = true }
        guard isAtStart, buffer.count >= 3 || isEnded else { return }
        isAtStart = false
        // A byte order mark.
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { (start, searched) = (3, 3) }
    }

    /// Returns the next record; nil if more bytes are needed, or at the end.
    mutating func next() -> Record? {
        guard !isAtStart else { return nil }
        while let end = findEnd() {
            let record = take(upTo: end)
            (start, searched) = (end + 1, end + 1)
            return record
        }
        if isEnded {
            guard start < buffer.count || isSkipping else { return nil }
            let record = take(upTo: buffer.count)
            (start, searched) = (buffer.count, buffer.count)
            return record
        }
        if buffer.count - start > Self.maxRecord {
            isSkipping = true
            start = buffer.count
        }
        return nil
    }

    /// Returns the index of the line break that ends the record.
    private mutating func findEnd() -> Int? {
        guard hasQuotes else {
            let found = buffer[searched...].firstIndex(of: 0x0A)
            searched = found ?? buffer.count
            return found
        }
        while searched < buffer.count {
            let byte = buffer[searched]
            if byte == 0x0A, place != .quoted { return searched }
            place = place.after(byte)
            searched += 1
        }
        return nil
    }

    private mutating func take(upTo end: Int) -> Record {
        defer { (isSkipping, place) = (false, .fieldStart) }
        guard !isSkipping, end - start <= Self.maxRecord else { return Record(bytes: nil) }
        let isReturned = end > start && buffer[end - 1] == 0x0D
        return Record(bytes: buffer[start..<(isReturned ? end - 1 : end)])
    }
}

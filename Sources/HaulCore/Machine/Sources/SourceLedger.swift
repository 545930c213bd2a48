/// Records which source delivered which bytes in this run.
struct SourceLedger: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var range: ByteRange
        var source: SourceID
    }

    /// The ranges by fetch.
    ///
    /// A later fetch may have delivered the same bytes again.
    private var entries: [Int: Entry] = [:]

    /// Records that a fetch has added bytes.
    mutating func note(fetch: Int, source: SourceID, _ range: ByteRange) {
        entries[fetch] = Entry(range: range, source: source)
    }

    /// The sources that delivered anything.
    var sources: Set<SourceID> { Set(entries.values.map(\.source)) }

    /// Returns the source that last delivered the byte before an offset, if any did.
    func contributor(before offset: Int64) -> SourceID? {
        entries.filter { $0.value.range.contains(offset - 1) }.max { $0.key < $1.key }?.value.source
    }

    /// Returns the sources of the bytes that a range contains now, and true if they delivered all of them.
    func contributors(of range: ByteRange) -> (sources: Set<SourceID>, areAll: Bool) {
        var missing = [range]
        var sources: Set<SourceID> = []
        for (_, entry) in entries.sorted(by: { $0.key > $1.key }) where !missing.isEmpty {
            let left = missing.flatMap { $0.without(entry.range) }
            if left != missing { sources.insert(entry.source) }
            missing = left
        }
        return (sources, missing.isEmpty)
    }
}

extension ByteRange {
    /// Returns the parts of the range that are outside another range.
    func without(_ other: ByteRange) -> [ByteRange] {
        guard other.lowerBound < upperBound, other.upperBound > lowerBound, !other.isEmpty else { return [self] }
        let before = ByteRange(from: lowerBound, to: other.lowerBound)
        let after = ByteRange(from: other.upperBound, to: upperBound)
        return [before, after].filter { !$0.isEmpty }
    }
}

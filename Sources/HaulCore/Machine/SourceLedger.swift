/// Which source brought which bytes in this run.
struct SourceLedger: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var range: ByteRange
        var source: Int
    }

    /// By fetch: a later one may have brought the same bytes anew.
    private var entries: [Int: Entry] = [:]

    /// A fetch has added bytes.
    mutating func note(fetch: Int, source: Int, _ range: ByteRange) {
        entries[fetch] = Entry(range: range, source: source)
    }

    /// The sources that brought anything.
    var sources: Set<Int> { Set(entries.values.map(\.source)) }

    /// The source that brought the byte before an offset last, if one did.
    func contributor(before offset: Int64) -> Int? {
        entries.filter { $0.value.range.contains(offset - 1) }.max { $0.key < $1.key }?.value.source
    }

    /// Who brought the bytes of a range that stand there now, and whether they brought all of them.
    func contributors(of range: ByteRange) -> (sources: Set<Int>, areAll: Bool) {
        var missing = [range]
        var sources: Set<Int> = []
        for (_, entry) in entries.sorted(by: { $0.key > $1.key }) where !missing.isEmpty {
            let left = missing.flatMap { $0.without(entry.range) }
            if left != missing { sources.insert(entry.source) }
            missing = left
        }
        return (sources, missing.isEmpty)
    }
}

extension ByteRange {
    /// What of it lies outside another range.
    func without(_ other: ByteRange) -> [ByteRange] {
        guard other.lowerBound < upperBound, other.upperBound > lowerBound, !other.isEmpty else { return [self] }
        let before = ByteRange(from: lowerBound, to: other.lowerBound)
        let after = ByteRange(from: other.upperBound, to: upperBound)
        return [before, after].filter { !$0.isEmpty }
    }
}

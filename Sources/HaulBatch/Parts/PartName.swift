/// The name of a part: `part-SSSSS-PPPP`, with the number of the shard and that of the part in it.
package struct PartName: Hashable, Sendable, Comparable {
    /// The number of the shard.
    package let shard: Int
    /// The number of the part.
    package let part: Int

    /// The numbers that names have.
    static let numbers = 0..<1_000_000_000

    /// Creates a name.
    package init(shard: Int, part: Int) { (self.shard, self.part) = (shard, part) }

    /// The text: `part-00003-0000`.
    package var text: String { "part-\(Self.padded(shard, 5))-\(Self.padded(part, 4))" }

    /// Orders by shard, then by part.
    package static func < (one: PartName, other: PartName) -> Bool {
        (one.shard, one.part) < (other.shard, other.part)
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

/// The form in which files are saved.
package enum PartFormat: String, Hashable, Sendable, CaseIterable {
    /// One tar per part, as WebDataset reads it.
    case tar
    /// A folder per part, with folders of at most 1,000 files in it.
    case files
}

/// A name in the output folder that belongs to a part.
package struct PartEntry: Hashable, Sendable {
    /// The kinds of files of a part.
    package enum Kind: Hashable, Sendable {
        case data(PartFormat)
        case results
    }

    /// The part.
    package let name: PartName
    /// The kind of file.
    package let kind: Kind
    /// True for the final name.
    package let isFinal: Bool

    /// The ending of names that are not final.
    package static let unfinished = ".partial"

    /// Creates an entry.
    package init(_ name: PartName, _ kind: Kind, isFinal: Bool) {
        (self.name, self.kind, self.isFinal) = (name, kind, isFinal)
    }

    /// The file name.
    package var text: String {
        let ending =
            switch kind {
            case .data(.tar): ".tar"
            case .data(.files): ""
            case .results: ".results.jsonl"
            }
        return name.text + ending + (isFinal ? "" : Self.unfinished)
    }

    /// Reads a file name; nil if it is not one of a part.
    package init?(_ text: String) {
        var rest = text[...]
        isFinal = !rest.hasSuffix(Self.unfinished)
        if !isFinal { rest = rest.dropLast(Self.unfinished.count) }
        if rest.hasSuffix(".tar") {
            kind = .data(.tar)
            rest = rest.dropLast(4)
        } else if rest.hasSuffix(".results.jsonl") {
            kind = .results
            rest = rest.dropLast(14)
        } else {
            kind = .data(.files)
        }
        let parts = rest.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "part", let shard = Int(parts[1]), let part = Int(parts[2]),
            PartName.numbers.contains(shard), PartName.numbers.contains(part)
        else { return nil }
        name = PartName(shard: shard, part: part)
        guard rest == name.text else { return nil }
    }
}

/// The parts in a folder, and what an interrupted run has left to be done.
package struct PartListing: Hashable, Sendable {
    /// The complete parts, in order.
    package var finished: [PartName] = []
    /// Parts that were complete when the run was interrupted between two renames: only the data must be renamed.
    package var unnamed: [PartName] = []
    /// The unfinished parts, in order.
    package var unfinished: [PartName] = []
    /// Data without results, which no run relies on: an unfinished part that was killed before its results were created.
    package var strays: [String] = []
    /// Complete data without results: a file was removed by somebody else.
    package var damaged: [String] = []

    /// Creates the listing from all names in a folder.
    package init(_ names: some Sequence<String>, format: PartFormat, shard: Int? = nil) {
        let entries = Set(names.compactMap { PartEntry($0) }.filter { shard == nil || $0.name.shard == shard })
        for name in Set(entries.map(\.name)).sorted() {
            func has(_ kind: PartEntry.Kind, _ isFinal: Bool) -> Bool {
                entries.contains(PartEntry(name, kind, isFinal: isFinal))
            }
            let data = PartEntry.Kind.data(format)
            switch (results: has(.results, true), has(.results, false), data: has(data, true), has(data, false)) {
            // Results are renamed first, so final data always has final results.
            case (true, _, true, _): finished.append(name)
            case (true, _, false, true): unnamed.append(name)
            case (false, true, false, _): unfinished.append(name)
            case (false, false, false, true): strays.append(PartEntry(name, data, isFinal: false).text)
            case (true, _, false, false): damaged.append(PartEntry(name, .results, isFinal: true).text)
            case (false, _, true, _): damaged.append(PartEntry(name, data, isFinal: true).text)
            case (false, false, false, false): continue
            }
        }
    }

    /// The number of the next part.
    package var next: Int {
        ((finished + unnamed + unfinished).map(\.part).max() ?? -1) + 1
    }
}

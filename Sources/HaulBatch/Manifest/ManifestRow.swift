import HaulCore

/// One row of a manifest.
package struct ManifestRow: Hashable, Sendable {
    /// The number of the row in the manifest, from 0; headers and blank lines are not counted.
    package var number: Int64
    /// The URL as it is written; empty if the row has none.
    package var url: String
    /// The id in the id column; nil if the manifest has no such column.
    package var id: String?
    /// The name of the file in the name column; nil if there is none.
    package var name: String?
    /// The other columns, as members of a JSON object without its braces: `"caption":"a cat","width":12`.
    ///
    /// White space between tokens is left out.
    package var columns: String
    /// The reason why the row can't be fetched; nil if it can.
    package var problem: String?

    /// Creates a row.
    package init(
        number: Int64, url: String, id: String? = nil, name: String? = nil, columns: String = "", problem: String? = nil
    ) {
        (self.number, self.url, self.id, self.name) = (number, url, id, name)
        (self.columns, self.problem) = (columns, problem)
    }

    /// The identity of the row among those of its manifest.
    package var identity: RowIdentity { id.map { .id($0) } ?? .number(number, url: publicURL) }

    /// The URL in results: without user and password, because data sets are shared.
    package var publicURL: String { URLRedaction.withoutUserInfo(url) }
}

/// The names of the columns that Haul reads.
package struct ManifestColumns: Hashable, Sendable {
    /// The column with the URL.
    package var url: String
    /// The column with the id, which must be unique.
    package var id: String
    /// True if the manifest must have the id column; otherwise rows are identified by their numbers if it is missing.
    package var requiresID: Bool
    /// The column with the name of the file; nil for none.
    package var name: String?

    /// Creates the columns; the defaults are `url` and, if it exists, `id`.
    package init(url: String = "url", id: String = "id", requiresID: Bool = false, name: String? = nil) {
        (self.url, self.id, self.requiresID, self.name) = (url, id, requiresID, name)
    }

    /// Names of the members that Haul writes into `KEY.json`.
    static let reserved: Set<String> = ["key", "id", "row", "url", "final_url", "media_type", "bytes", "sha256"]

    /// Returns the names under which other columns are passed through: with a prefix if Haul writes such a member.
    static func passed(_ columns: [String]) -> [String] {
        guard columns.contains(where: reserved.contains) else { return columns }
        return unique(columns.map { reserved.contains($0) ? "column_\($0)" : $0 })
    }

    /// Returns names of which no two are equal: a repeated one gets a number, as in pandas (`a`, `a.1`).
    static func unique(_ names: [String]) -> [String] {
        var taken = Set(names)
        var seen: Set<String> = []
        return names.map { name in
            guard !seen.insert(name).inserted else { return name }
            var number = 1
            while !taken.insert("\(name).\(number)").inserted { number += 1 }
            return "\(name).\(number)"
        }
    }

    /// Returns the index of a column, in any letter case if it does not exist as written.
    static func index(of name: String, in header: [String]) -> Int? {
        header.firstIndex(of: name) ?? header.firstIndex { $0.lowercased() == name.lowercased() }
    }
}

/// The format of a manifest.
package enum ManifestFormat: String, Hashable, Sendable, CaseIterable {
    /// One JSON object per line.
    case jsonl
    /// RFC 4180, with a header.
    case csv
    /// Fields separated by tabs, without quotes, with a header.
    case tsv
    /// One URL per line.
    case list

    /// Guesses the format from the name of a file; nil if the name does not show it.
    package init?(path: String) {
        let name = path.lowercased()
        let endings: [(String, ManifestFormat)] = [
            (".jsonl", .jsonl), (".ndjson", .jsonl), (".json", .jsonl), (".csv", .csv), (".tsv", .tsv), (".tab", .tsv),
            (".txt", .list), (".lst", .list), (".list", .list),
        ]
        guard let found = endings.first(where: { name.hasSuffix($0.0) }) else { return nil }
        self = found.1
    }

    /// Guesses the format from the first bytes: JSON lines if they begin with `{`, otherwise a plain list.
    ///
    /// Nil if they are only blanks, line breaks and a byte order mark, which do not show it.
    package init?(start: some Sequence<UInt8>) {
        guard let first = start.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }) else { return nil }
        self = first == UInt8(ascii: "{") ? .jsonl : .list
    }

    /// Returns what is wrong with a manifest of this format that begins with these bytes; nil if it may be one.
    package func fault(start: some Sequence<UInt8>, _ columns: ManifestColumns) -> ManifestReader.Fault? {
        let start = Array(start.prefix(4))
        if start == Array("PAR1".utf8) {
            return ManifestReader.Fault(
                message: "the manifest is a Parquet file: use haul.batch of the Python package haul-dl, or convert it")
        }
        if start.starts(with: [0x1F, 0x8B]) || start == [0x28, 0xB5, 0x2F, 0xFD] {
            return ManifestReader.Fault(
                message: "the manifest is compressed: decompress it, for example into standard input (-)")
        }
        let named = [columns.requiresID ? columns.id : nil, columns.name].compactMap(\.self)
        guard self == .list, let column = named.first else { return nil }
        return ManifestReader.Fault(
            message: "the manifest is read as a list, which has no column \"\(column)\": state its format")
    }
}

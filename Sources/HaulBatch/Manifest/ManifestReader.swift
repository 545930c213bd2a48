/// Reads the rows of a manifest from a stream of bytes.
///
/// A row that can't be read is a row all the same, with a problem: every row is accounted for.
package struct ManifestReader: Sendable {
    /// A manifest that can't be read at all.
    package struct Fault: Error, Hashable, Sendable {
        /// A sentence that says what is wrong and what to write.
        package let message: String
    }

    private struct Header: Sendable {
        var names: [String]
        var passed: [String]
        var url: Int
        var id: Int?
        var name: Int?
    }

    private let format: ManifestFormat
    private let columns: ManifestColumns
    private var splitter: RecordSplitter
    private var header: Header?
    private var number: Int64 = 0
    /// The number of records, with the header and all that are not rows: the number of lines, unless one has line breaks.
    private var records: Int64 = 0
    /// The columns of JSON lines; nil once all that are needed were found.
    private var search: ColumnSearch?
    /// Rows that are held back until then.
    private var held: ArraySlice<ManifestRow> = []

    /// Creates a reader for a format.
    package init(_ format: ManifestFormat, _ columns: ManifestColumns = ManifestColumns()) {
        self.format = format
        self.columns = columns
        splitter = RecordSplitter(hasQuotes: format == .csv)
        if format == .jsonl { search = ColumnSearch(columns) }
    }

    /// Adds bytes; an empty array marks the end.
    package mutating func append(_ bytes: [UInt8]) { splitter.append(bytes) }

    /// Returns the next row; nil if more bytes are needed, or at the end.
    ///
    /// JSON lines have no header: their first rows are held back until each column that is needed was in one of them.
    ///
    /// - Throws: `Fault` if the header lacks a column, or if none of the first rows of JSON lines has it.
    package mutating func next() throws(Fault) -> ManifestRow? {
        while search != nil {
            let row = try following()
            guard row != nil || splitter.isFinished && !held.isEmpty else { return nil }
            if let row { held.append(row) }
            if let fault = search?.fault(rows: held.count, areAll: row == nil) { throw fault }
            if search?.isOver == true { search = nil }
        }
        guard let row = held.popFirst() else { return try following() }
        if held.isEmpty { held = [] }
        return row
    }

    private mutating func following() throws(Fault) -> ManifestRow? {
        while let record = splitter.next() {
            records += 1
            if let row = try read(record) {
                number += 1
                return row
            }
        }
        return nil
    }

    private mutating func read(_ record: RecordSplitter.Record) throws(Fault) -> ManifestRow? {
        guard let bytes = record.bytes else { return bad("longer than 1 MiB") }
        guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return nil }
        // Comments may have any encoding.
        if format == .list, bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "#") { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            if needsHeader { throw Fault(message: "the header is not UTF-8 text: convert the manifest to UTF-8") }
            return bad("not UTF-8 text")
        }
        switch format {
        case .jsonl: return object(bytes)
        case .list: return row(url: String(text.trimmingSpaces))
        case .csv:
            guard let fields = Self.csvFields(bytes) else {
                if needsHeader { throw Fault(message: "the header has a quote in the wrong place") }
                return bad("a quote is in the wrong place or not closed")
            }
            return try fieldsRow(fields)
        case .tsv: return try fieldsRow(text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init))
        }
    }

    private var needsHeader: Bool { (format == .csv || format == .tsv) && header == nil }

    private func row(url: String, id: String? = nil, name: String? = nil, columns: String = "") -> ManifestRow {
        var row = ManifestRow(number: number, url: url, id: id, name: name, columns: columns)
        if url.isEmpty { row.problem = "the row has no URL" }
        if id?.isEmpty == true {
            row.id = nil
            row.problem = "the row has no id"
        }
        return row
    }

    private func bad(_ problem: String) -> ManifestRow {
        ManifestRow(number: number, url: "", problem: "\(format == .csv ? "record" : "line") \(records): \(problem)")
    }
}

// MARK: - JSON lines

extension ManifestReader {
    private mutating func object(_ bytes: ArraySlice<UInt8>) -> ManifestRow {
        var (url, id, name): (JSONMembers.Value?, JSONMembers.Value?, JSONMembers.Value?) = (nil, nil, nil)
        var other: [(name: String, value: JSONMembers.Value)] = []
        do throws(JSONMembers.Fault) {
            var members = try JSONMembers(bytes, maxDepth: JSONMembers.maxRowDepth)
            while let member = try members.next() {
                if matches(member.name, columns.url, url == nil) {
                    url = member.value
                } else if matches(member.name, columns.id, id == nil) {
                    id = member.value
                } else if let wanted = columns.name, matches(member.name, wanted, name == nil) {
                    name = member.value
                } else {
                    other.append(member)
                }
            }
        } catch {
            search?.skip(bytes)
            return bad("not a JSON object")
        }
        search?.found(url: url != nil, id: id != nil, name: name != nil, others: other.map(\.name), in: bytes)
        var passed: [UInt8] = []
        for (name, member) in zip(ManifestColumns.passed(other.map(\.name)), other) {
            if !passed.isEmpty { passed.append(UInt8(ascii: ",")) }
            JSONText.append(name, to: &passed)
            passed.append(UInt8(ascii: ":"))
            member.value.append(to: &passed)
        }
        // An id of another type is the same as a missing one.
        let text = id.flatMap(\.text) ?? (columns.requiresID ? "" : nil)
        var found = row(
            url: url.flatMap(\.string) ?? "", id: text, name: name.flatMap(\.text),
            columns: String(decoding: passed, as: UTF8.self))
        // Two such ids could become one.
        if id?.hasHalfPair == true { (found.id, found.problem) = (nil, "the id has half of a surrogate pair") }
        return found
    }

    private func matches(_ name: String, _ wanted: String, _ isFree: Bool) -> Bool {
        name == wanted || isFree && name.utf8.count == wanted.utf8.count && name.lowercased() == wanted.lowercased()
    }
}

/// The search for the columns of JSON lines in the first rows.
///
/// Not every row has every member, but a column that is in none of the first 1,000 rows is a wrong name.
private struct ColumnSearch: Sendable {
    private static let maxRows = 1000
    /// The bytes of rows that may be held back.
    private static let maxBytes = 32 << 20
    private static let maxShown = 8

    private let columns: ManifestColumns
    private var needsURL = true
    private var needsID: Bool
    private var needsName: Bool
    private var bytes = 0
    private var objects = 0
    /// The names of members that are not columns, of the first object.
    private var known: [String] = []

    init(_ columns: ManifestColumns) {
        self.columns = columns
        (needsID, needsName) = (columns.requiresID, columns.name != nil)
    }

    /// True if every column was found.
    var isOver: Bool { !needsURL && !needsID && !needsName }

    /// Takes a row that is not an object.
    mutating func skip(_ row: ArraySlice<UInt8>) { bytes += row.count }

    /// Takes the columns of a row.
    mutating func found(url: Bool, id: Bool, name: Bool, others: [String], in row: ArraySlice<UInt8>) {
        bytes += row.count
        objects += 1
        if known.isEmpty { known = others }
        if url { needsURL = false }
        if id { needsID = false }
        if name { needsName = false }
    }

    /// Returns the error for a column that was not found, or nil while it may still be found.
    ///
    /// - Parameters:
    ///   - rows: The number of rows so far.
    ///   - areAll: True at the end of the manifest.
    func fault(rows: Int, areAll: Bool) -> ManifestReader.Fault? {
        guard !isOver, areAll || rows >= Self.maxRows || bytes >= Self.maxBytes else { return nil }
        let start = rows == 1 ? "the only row" : "none of the first \(rows) rows"
        guard objects > 0 else {
            return ManifestReader.Fault(
                message: "\(start) is \(rows == 1 ? "not " : "")a JSON object: state the format with --manifest-format")
        }
        let (name, option) =
            needsURL
            ? (columns.url, "--url-column")
            : needsID ? (columns.id, "--id-column") : (columns.name ?? "", "--name-column")
        let names = known.prefix(Self.maxShown).joined(separator: ", ")
        return ManifestReader.Fault(
            message: "\(start) has \(rows == 1 ? "no" : "a") column \"\(name)\": name "
                + (names.isEmpty ? "another one" : "one of \(names)") + " with \(option)")
    }
}

// MARK: - Fields

extension ManifestReader {
    private mutating func fieldsRow(_ fields: [String]) throws(Fault) -> ManifestRow? {
        guard let header else {
            self.header = try read(header: fields)
            return nil
        }
        guard fields.count == header.names.count else {
            return bad("\(fields.count) fields, but the header has \(header.names.count)")
        }
        var passed: [UInt8] = []
        for index in fields.indices where index != header.url && index != header.id && index != header.name {
            if !passed.isEmpty { passed.append(UInt8(ascii: ",")) }
            JSONText.append(header.passed[index], to: &passed)
            passed.append(UInt8(ascii: ":"))
            JSONText.append(fields[index], to: &passed)
        }
        return row(
            url: String(fields[header.url].trimmingSpaces), id: header.id.map { fields[$0] },
            name: header.name.map { fields[$0] }, columns: String(decoding: passed, as: UTF8.self))
    }

    private func read(header names: [String]) throws(Fault) -> Header {
        func find(_ name: String, _ option: String) throws(Fault) -> Int {
            if let index = ManifestColumns.index(of: name, in: names) { return index }
            let known = names.prefix(8).joined(separator: ", ")
            throw Fault(message: "the manifest has no column \"\(name)\": name one of \(known) with \(option)")
        }
        var header = Header(
            names: names, passed: ManifestColumns.unique(ManifestColumns.passed(names)),
            url: try find(columns.url, "--url-column"))
        header.id =
            columns.requiresID
            ? try find(columns.id, "--id-column") : ManifestColumns.index(of: columns.id, in: names)
        if let name = columns.name { header.name = try find(name, "--name-column") }
        return header
    }

    /// Splits a record of RFC 4180; nil if a quote is in the wrong place.
    static func csvFields(_ bytes: ArraySlice<UInt8>) -> [String]? {
        let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
        var fields: [String] = []
        var field: [UInt8] = []
        var index = bytes.startIndex
        while true {
            field.removeAll(keepingCapacity: true)
            if index < bytes.endIndex, bytes[index] == quote {
                index += 1
                while true {
                    guard index < bytes.endIndex else { return nil }
                    let byte = bytes[index]
                    index += 1
                    if byte == quote {
                        guard index < bytes.endIndex, bytes[index] == quote else { break }
                        index += 1
                    }
                    field.append(byte)
                }
                guard index == bytes.endIndex || bytes[index] == comma else { return nil }
            } else {
                let end = bytes[index...].firstIndex(of: comma) ?? bytes.endIndex
                guard !bytes[index..<end].contains(quote) else { return nil }
                field += bytes[index..<end]
                index = end
            }
            fields.append(String(decoding: field, as: UTF8.self))
            guard index < bytes.endIndex else { return fields }
            index += 1
        }
    }
}

extension String {
    /// The text without spaces and tabs at both ends.
    var trimmingSpaces: Substring {
        var text = self[...]
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}

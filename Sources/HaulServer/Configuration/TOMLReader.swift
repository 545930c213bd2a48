package import HaulCore

/// Parses the subset of TOML 1.0 that a configuration needs: keys, single-line strings, numbers, booleans, arrays, and
/// arrays of tables.
///
/// Hand-written because the existing library for Swift (over toml++) ends the process at some malformed input.
package struct TOMLReader {
    /// A value.
    package enum Value: Hashable, Sendable {
        /// A text.
        case text(String)
        /// An integer.
        case whole(Int64)
        /// A floating-point number.
        case number(Double)
        /// A boolean.
        case flag(Bool)
        /// An array.
        case list([Value])
    }

    /// The values of a table by key.
    package typealias Table = [String: Value]

    /// The values before the first table.
    package private(set) var root: Table = [:]
    /// The tables of each list of tables, in order.
    private(set) var tables: [String: [Table]] = [:]
    /// The lines of the keys before the first table.
    package private(set) var lines: [String: Int] = [:]
    /// The lines on which the tables begin.
    package private(set) var tableLines: [String: [Int]] = [:]

    /// The tables with a name of their own, such as `[host."example.org"]`, in order.
    package private(set) var sections: [Section] = []

    /// A table with a name of its own.
    package struct Section: Hashable, Sendable {
        /// The parts of its name.
        package let path: [String]
        /// The line on which it begins.
        package let line: Int
        /// Its values by key.
        package fileprivate(set) var values: Table = [:]
        /// The lines of its keys.
        package fileprivate(set) var lines: [String: Int] = [:]
    }

    /// The errors, in order, each with its line.
    package private(set) var problems: [DownloadError] = []
    /// The keys before the first table whose values can't be read.
    package private(set) var unreadKeys: Set<String> = []
    /// True if an error ended the reading, so that any key may be missing.
    package private(set) var isTruncated = false
    /// The key of the current line.
    private var currentKey: String?

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// The number of lists around the current byte.
    private var openLists = 0
    private static let deepest = 8

    /// Parses a text.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the line.
    ///
    /// - Parameter allowsSections: True if tables may have names of their own.
    package init(_ text: String, allowsSections: Bool = false) throws(DownloadError) {
        self.init(collecting: text, allowsSections: allowsSections)
        if let first = problems.first { throw first }
    }

    /// Parses a text as far as possible, and keeps the errors in `problems`.
    ///
    /// It continues with the next line, or with the next table if the error is in the name of one. After an error in a
    /// list over several lines nothing more is read, since it is unknown where the list ends.
    package init(collecting text: String, allowsSections: Bool = false) {
        bytes = Array(text.utf8)
        var current: String?
        while true {
            skipBlank(overLines: true)
            guard let byte = peek else { return }
            do throws(DownloadError) {
                try statement(&current, allowsSections)
                try endLine()
            } catch {
                problems.append(error)
                if current == nil, sections.isEmpty, let currentKey { unreadKeys.insert(currentKey) }
                if openLists > 0 {
                    guard bytes[index...].prefix(while: { $0 != UInt8(ascii: "\n") }).contains(UInt8(ascii: "]")) else {
                        isTruncated = true
                        return
                    }
                    openLists = 0
                }
                skipLine()
                guard byte == UInt8(ascii: "[") else { continue }
                skipBlank(overLines: true)
                while let next = peek, next != UInt8(ascii: "[") {
                    skipLine()
                    skipBlank(overLines: true)
                }
            }
        }
    }

    /// Reads the name of a table, or a key and its value.
    private mutating func statement(_ current: inout String?, _ allowsSections: Bool) throws(DownloadError) {
        let isTable = peek == UInt8(ascii: "[")
        currentKey = nil
        if isTable, allowsSections, bytes[index...].dropFirst().first != UInt8(ascii: "[") {
            try beginSection()
            current = nil
        } else if isTable {
            let name = try header()
            tableLines[name, default: []].append(line)
            tables[name, default: []].append([:])
            current = name
        } else {
            let start = line
            let (key, value) = try pair()
            if let last = sections.indices.last, current == nil {
                guard sections[last].values.updateValue(value, forKey: key) == nil else {
                    throw problem("\(key) is set twice")
                }
                sections[last].lines[key] = start
            } else {
                try put(key, value, current)
                if current == nil { lines[key] = start }
            }
        }
    }

    /// Skips the rest of the line, without its end.
    private mutating func skipLine() {
        while let byte = peek, byte != UInt8(ascii: "\n") { index += 1 }
    }

    /// Reads the name of a section: keys with dots between them.
    private mutating func beginSection() throws(DownloadError) {
        _ = take("[")
        var path: [String] = []
        repeat {
            skipBlank()
            path.append(try key())
            skipBlank()
        } while take(".")
        guard take("]") else { throw problem("expected a section, [NAME.\"NAME\"]") }
        guard !sections.contains(where: { $0.path == path }) else {
            throw problem("the section \(path.joined(separator: ".")) exists twice")
        }
        sections.append(Section(path: path, line: line))
    }

    private mutating func put(_ key: String, _ value: Value, _ table: String?) throws(DownloadError) {
        let old: Value?
        if let table, let last = tables[table]?.indices.last {
            old = tables[table]?[last].updateValue(value, forKey: key)
        } else {
            old = root.updateValue(value, forKey: key)
        }
        if old != nil { throw problem("\(key) is set twice") }
    }

    private mutating func header() throws(DownloadError) -> String {
        guard take("["), take("[") else { throw problem("expected a table, [[NAME]]") }
        skipBlank()
        let name = try key()
        skipBlank()
        guard take("]"), take("]") else { throw problem("expected a table, [[NAME]]") }
        return name
    }

    private mutating func pair() throws(DownloadError) -> (String, Value) {
        let key = try key()
        currentKey = key
        skipBlank()
        guard take("=") else { throw problem("expected NAME = VALUE") }
        skipBlank()
        return (key, try value(depth: 0))
    }

    private mutating func key() throws(DownloadError) -> String {
        if let byte = peek, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try text() }
        let start = index
        while let byte = peek, Self.isWord(byte), byte != UInt8(ascii: "+"), byte != UInt8(ascii: ".") { index += 1 }
        guard index > start else { throw problem("expected NAME = VALUE") }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func value(depth: Int) throws(DownloadError) -> Value {
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try text())
        case UInt8(ascii: "["):
            guard depth < Self.deepest else { throw problem("lists are nested too deep") }
            return try list(depth: depth)
        case _: return try word()
        }
    }

    private mutating func list(depth: Int) throws(DownloadError) -> Value {
        _ = take("[")
        let start = line
        openLists += 1
        var items: [Value] = []
        while true {
            skipBlank(overLines: true)
            if take("]") {
                openLists -= 1
                return .list(items)
            }
            guard peek != nil else { throw problem("the list is not closed: expected ]", at: start) }
            items.append(try value(depth: depth + 1))
            skipBlank(overLines: true)
            guard take(",") || peek == UInt8(ascii: "]") || peek == nil else {
                throw problem("expected , or ] in a list, as [\"A\", \"B\"]")
            }
        }
    }

    private mutating func word() throws(DownloadError) -> Value {
        let start = index
        while let byte = peek, Self.isWord(byte) { index += 1 }
        let word = String(decoding: bytes[start..<index].filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
        if word == "true" || word == "false" { return .flag(word == "true") }
        if let whole = Int64(word) { return .whole(whole) }
        guard word.utf8.contains(where: { (48...57).contains($0) }), let number = Double(word), number.isFinite else {
            throw problem(
                word.isEmpty ? "expected a value: \"TEXT\", a number, true, false or a list" : "strings must be quoted")
        }
        return .number(number)
    }

    private mutating func text() throws(DownloadError) -> String {
        let quote = bytes[index]
        let isLiteral = quote == UInt8(ascii: "'")
        index += 1
        var found: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\n") {
            index += 1
            if byte == quote { return String(decoding: found, as: UTF8.self) }
            // TOML 1.0, "String": control characters other than tab must be escaped.
            guard byte >= 0x20 && byte != 0x7F || byte == 9 else { throw problem("a string has a control character") }
            if byte == UInt8(ascii: "\\"), !isLiteral {
                found += try escape()
            } else {
                found.append(byte)
            }
        }
        throw problem("a string is not closed")
    }

    private mutating func escape() throws(DownloadError) -> [UInt8] {
        guard let byte = peek else { throw problem("a string is not closed") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            let count = byte == UInt8(ascii: "u") ? 4 : 8
            let digits = bytes[index...].prefix(count)
            index += digits.count
            guard digits.count == count, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { throw problem("\\u takes four hexadecimal digits, and \\U eight") }
            return Array(String(Character(scalar)).utf8)
        case _: throw problem("unknown escape: write \\\\ for a backslash")
        }
    }

    // MARK: - Bytes

    /// Returns true if a byte may be part of a key, a number, `true` or `false`.
    private static func isWord(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "+-._".utf8.contains(byte)
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Skips blanks; with `overLines`, also comments and line ends.
    private mutating func skipBlank(overLines: Bool = false) {
        while let byte = peek {
            if byte == UInt8(ascii: "#"), overLines {
                while let byte = peek, byte != UInt8(ascii: "\n") { index += 1 }
            } else if byte == UInt8(ascii: "\n"), overLines {
                line += 1
                index += 1
            } else if byte == 32 || byte == 9 || byte == 13 && overLines {
                index += 1
            } else {
                return
            }
        }
    }

    private mutating func endLine() throws(DownloadError) {
        skipBlank()
        guard let byte = peek else { return }
        guard [UInt8(ascii: "\n"), UInt8(ascii: "#"), 13].contains(byte) else {
            throw problem("unexpected text after the value")
        }
    }

    private func problem(_ what: String, at place: Int? = nil) -> DownloadError {
        DownloadError(.invalidRequest, "line \(place ?? line): \(what)")
    }
}

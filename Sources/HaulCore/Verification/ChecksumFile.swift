/// A file of checksums in the format of sha256sum(1) and similar tools: `SHA256SUMS`, `name.iso.sha256`.
///
/// Anything that is not a checksum of a known algorithm is skipped: comments, signatures, sizes. So any bytes can be
/// read.
package struct ChecksumFile: Hashable, Sendable {
    /// One line.
    package struct Entry: Hashable, Sendable {
        /// The name of the file, as written; nil if the line has none.
        package var name: String?
        /// The checksum of that file.
        package var checksum: Checksum

        /// Makes an entry.
        package init(_ name: String?, _ checksum: Checksum) {
            self.name = name
            self.checksum = checksum
        }

        /// Returns true if the line is for a file of this name in the list's own folder.
        func isNamed(_ file: ByteKey) -> Bool { name.map { ByteKey(listed: $0) } == file }

        /// Returns true if the line has no name, or this one in any folder; sha256sum(1) writes `-` for its input.
        func mayMean(_ file: ByteKey) -> Bool {
            guard let name, name != "-" else { return true }
            // By bytes: with a combining character after it, a slash is not a character of its own.
            return name.utf8.split(separator: UInt8(ascii: "/")).last.map { ByteKey(String(Substring($0))) } == file
        }
    }

    /// The entries, in order.
    package let entries: [Entry]
    /// The number of other lines, without blank lines and comments.
    package let otherLines: Int

    /// Parses a file.
    ///
    /// - Parameter algorithm: The algorithm in the file's own name, if any; lines of others are then skipped.
    package init(_ bytes: [UInt8], algorithm: Checksum.Algorithm? = nil) {
        var entries: [Entry] = []
        var others = 0
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let plain = line.trimmingOptionalSpace
            guard let first = plain.first, first != UInt8(ascii: "#") else { continue }
            if let entry = Self.entry(line), entry.checksum.algorithm == algorithm ?? entry.checksum.algorithm {
                entries.append(entry)
            } else {
                others += 1
            }
        }
        self.entries = entries
        otherLines = others
    }

    /// Returns the strongest checksum of a file in the list's own folder; nil if there is none, or entries conflict.
    ///
    /// Names are compared byte for byte, as file systems do, but without a leading `./`.
    ///
    /// - Parameter isItsOwn: True if the list is for this file only, such as `name.iso.sha256`: a single entry then
    ///   applies to it if it has no name, or the same name in another folder.
    package func checksum(of name: String, isItsOwn: Bool = false) -> Checksum? {
        let name = ByteKey(listed: name)
        var fitting = entries.filter { $0.isNamed(name) }
        if fitting.isEmpty, isItsOwn, entries.count == 1, entries[0].mayMean(name) { fitting = entries }
        guard let strongest = fitting.map(\.checksum).max(by: { $0.algorithm.strength < $1.algorithm.strength }) else {
            return nil
        }
        let isClear = fitting.allSatisfy { $0.checksum.algorithm != strongest.algorithm || $0.checksum == strongest }
        return isClear ? strongest : nil
    }

    /// Returns true if an entry has the name of this file; if it has no checksum all the same, its entries conflict.
    package func names(_ name: String) -> Bool {
        let name = ByteKey(listed: name)
        return entries.contains { $0.isNamed(name) }
    }
}

extension ByteKey {
    /// Creates the key of a name in a list; lists that were made with find(1) have names that begin with `./`.
    fileprivate init(listed name: String) {
        self.init(name.utf8.starts(with: "./".utf8) ? String(Substring(name.utf8.dropFirst(2))) : name)
    }
}

extension ChecksumFile {
    /// Parses the three forms of a line: `SHA256 (name) = hex`, `hex  name` or `hex *name`, and `hex` alone.
    ///
    /// A leading backslash means that the name is escaped.
    private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
        let isEscaped = line.first == UInt8(ascii: "\\")
        let line = isEscaped ? line.dropFirst() : line
        guard let (name, checksum) = tagged(line) ?? plain(line) else { return nil }
        guard let name else { return Entry(nil, checksum) }
        guard let bytes = isEscaped ? unescaped(name) : Array(name), !bytes.isEmpty else { return nil }
        // As text, a name that is not UTF-8 would be another one.
        return String(validating: bytes, as: UTF8.self).map { Entry($0, checksum) }
    }

    /// Parses the BSD form; openssl(1) writes it without its spaces.
    private static func tagged(_ line: ArraySlice<UInt8>) -> (ArraySlice<UInt8>?, Checksum)? {
        guard let left = line.firstIndex(of: UInt8(ascii: "(")), let right = line.lastIndex(of: UInt8(ascii: ")")),
            left < right, let algorithm = algorithm(line[..<left].trimmingOptionalSpace)
        else { return nil }
        let rest = line[(right + 1)...].trimmingOptionalSpace
        guard rest.first == UInt8(ascii: "=") else { return nil }
        guard let checksum = checksum(rest.dropFirst().trimmingOptionalSpace), checksum.algorithm == algorithm else {
            return nil
        }
        return (line[(left + 1)..<right], checksum)
    }

    /// Parses the GNU form: a blank, then a blank or an asterisk, then the name up to the end of the line.
    private static func plain(_ line: ArraySlice<UInt8>) -> (ArraySlice<UInt8>?, Checksum)? {
        let line = line.drop(while: \.isOptionalSpace)
        let hex = line.prefix { $0.hexValue != nil }
        guard let checksum = checksum(hex) else { return nil }
        var name = line.dropFirst(hex.count)
        if name.trimmingOptionalSpace.isEmpty { return (nil, checksum) }
        guard let blank = name.popFirst(), blank.isOptionalSpace else { return nil }
        if name.first == UInt8(ascii: "*") || name.first == UInt8(ascii: " ") { name.removeFirst() }
        return (name, checksum)
    }

    private static func checksum(_ hex: ArraySlice<UInt8>) -> Checksum? {
        guard let algorithm = Checksum.Algorithm(digits: hex.count) else { return nil }
        return try? Checksum(algorithm, hex: String(decoding: hex, as: UTF8.self))
    }

    private static func algorithm(_ tag: ArraySlice<UInt8>) -> Checksum.Algorithm? {
        switch tag.asciiLowercasedText {
        case "md5": .md5
        case "sha1", "sha-1": .sha1
        case "sha256", "sha-256", "sha2-256": .sha256
        case "sha512", "sha-512", "sha2-512": .sha512
        default: nil
        }
    }

    /// Decodes `\\`, `\n` and `\r`, the escapes that GNU tools write; nil for anything else.
    private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\\"): result.append(byte)
            case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): result.append(UInt8(ascii: "\r"))
            default: return nil
            }
        }
        return result
    }
}

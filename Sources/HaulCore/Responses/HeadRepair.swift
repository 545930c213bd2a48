/// Makes the head of a response readable for a strict parser where that can't change what the body is.
///
/// Repaired are: bytes that are not UTF-8 and control bytes in values and in the reason, and lines without a colon, which browsers skip.
/// Left alone, for others to judge or to reject, are line ends, folded lines, names, and whatever speaks of a length or of chunks.
package enum HeadRepair {
    /// Where a head ends.
    package struct End: Equatable {
        /// The number of its bytes, with the empty line.
        package var count: Int
        /// Whether there is nothing to repair.
        package var isClean: Bool
    }

    /// Finds the end of the head that some bytes begin with; nil if it has not come yet.
    package static func end(of bytes: some Sequence<UInt8>) -> End? {
        var (count, lines, length) = (0, 0, 0)
        var (isClean, hasColon) = (true, true)
        for byte in bytes {
            count += 1
            switch byte {
            case 0x0A:
                if length == 0, lines > 0 { return End(count: count, isClean: isClean) }
                if !hasColon { isClean = false }
                if length > 0 { lines += 1 }
                (length, hasColon) = (0, false)
            case 0x0D: break
            case UInt8(ascii: ":"):
                length += 1
                hasColon = true
            case _:
                // A line that begins with a blank continues the one before.
                if length == 0 { hasColon = lines == 0 || byte.isOptionalSpace }
                length += 1
                if isUnclean(byte) { isClean = false }
            }
        }
        return nil
    }

    /// Returns the head with its repairs.
    package static func repaired(_ head: [UInt8]) -> [UInt8] {
        guard head.starts(with: "HTTP/".utf8) else { return head }
        var result: [UInt8] = []
        var name: ArraySlice<UInt8>?
        var isFirst = true
        for line in head.split(separator: 0x0A, omittingEmptySubsequences: false) {
            defer { isFirst = false }
            var content = line
            while content.last == 0x0D { content.removeLast() }
            let end = line[content.endIndex...] + [0x0A]
            if isFirst {
                result += value(content, of: "reason") + end
            } else if content.isEmpty {
                result += end
            } else if content.first?.isOptionalSpace == true {
                if let name { result += field(content, of: name) + end }
            } else if let colon = content.firstIndex(of: UInt8(ascii: ":")) {
                name = content[..<colon]
                result += content[...colon] + field(content[(colon + 1)...], of: content[..<colon]) + end
            } else if isAboutBody(content) {
                name = content
                result += content + end
            } else {
                name = nil
            }
        }
        // What follows the last line end is nothing.
        result.removeLast()
        return result
    }

    /// Returns the value of a field in UTF-8 without control bytes.
    ///
    /// In `Location`, where each byte counts, they are percent-encoded, as browsers do. Two different `ETag` values must not become equal:
    /// such a tag is replaced by a malformed one with all its bytes percent-encoded, after a character that no clean value has. Elsewhere a control
    /// byte becomes a space, and bytes that are not UTF-8 are Windows-1252.
    package static func value(_ bytes: ArraySlice<UInt8>, of name: String) -> [UInt8] {
        guard bytes.contains(where: isUnclean) else { return Array(bytes) }
        if name == "location" {
            return bytes.flatMap { isUnclean($0) ? PercentCoding.encoded($0) : [$0] }
        }
        if name == "etag" {
            return Array("¬".utf8) + bytes.trimmingOptionalSpace.flatMap(PercentCoding.encoded)
        }
        return Array(Windows1252.text(bytes.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 }).utf8)
    }

    /// Returns whether a name, or a line without one, is or may be meant to be a field that says what the body is.
    ///
    /// Parsers that read such a line differently would see different bodies, so it is never repaired.
    package static func isAboutBody(_ name: some Collection<UInt8>) -> Bool {
        let text = Array(name)[...].asciiLowercasedText
        return ["content-length", "transfer-encoding", "content-range"].contains { text.contains($0) }
    }

    private static func field(_ value: ArraySlice<UInt8>, of name: ArraySlice<UInt8>) -> [UInt8] {
        isAboutBody(name) ? Array(value) : Self.value(value, of: name.trimmingOptionalSpace.asciiLowercasedText)
    }

    private static func isUnclean(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 && byte != 0x0D || byte >= 0x7F }
}

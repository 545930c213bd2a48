/// Repairs the head of a response for a strict parser, if that can't change how the body is read.
///
/// Repairs bytes that are not UTF-8 and control bytes in values and in the reason, and removes lines without a colon,
/// which browsers skip. Leaves line ends, folded lines, names, and everything about lengths or chunks unchanged, so
/// that the parser can reject them.
package enum HeadRepair {
    /// The end of a head.
    package struct End: Equatable {
        /// The number of bytes, including the empty line.
        package var count: Int
        /// True if there is nothing to repair.
        package var isClean: Bool
    }

    /// Finds the end of the head that the bytes begin with; nil if it is not complete.
    package static func end(of bytes: some Sequence<UInt8>) -> End? {
        // Generic code of another module is not specialised: bytes in one piece take a tenth of its time.
        // Unsafe: the bytes are only read, during the call.
        let found = bytes.withContiguousStorageIfAvailable { unsafe scan($0) }
        return found ?? scan(Array(bytes))
    }

    private static func scan(_ bytes: some Collection<UInt8>) -> End? {
        var (count, lines, length) = (0, 0, 0)
        var (isClean, hasColon) = (true, true)
        var last: UInt8 = 0
        for byte in bytes {
            count += 1
            switch byte {
            case 0x0A:
                if length == 0, lines > 0 { return End(count: count, isClean: isClean) }
                if !hasColon || last == 0x09 { isClean = false }
                last = 0
                if length > 0 { lines += 1 }
                (length, hasColon) = (0, false)
            case 0x0D: break
            case UInt8(ascii: ":"):
                length += 1
                last = byte
                hasColon = true
            case _:
                // A line that begins with a blank continues the previous one.
                if length == 0 { hasColon = lines == 0 || byte.isOptionalSpace }
                length += 1
                last = byte
                if isUnclean(byte) { isClean = false }
            }
        }
        return nil
    }

    /// Returns the repaired head.
    ///
    /// - Parameter isFirstResponse: True for the first response of a connection. Before a later one, there may be the start of
    ///   a response that nobody has requested: a line that may be a status line is then left to the parser.
    package static func repaired(_ head: [UInt8], isFirstResponse: Bool = true) -> [UInt8] {
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
            } else if isAboutBody(content) || !isFirstResponse && content.firstRange(of: "HTTP/".utf8) != nil {
                name = content
                result += content + end
            } else {
                name = nil
            }
        }
        // Removes the newline added after the last, empty part.
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

    /// Returns true if a name, or a line without one, is or may be meant as a field that describes the body.
    ///
    /// Such a line is never repaired: parsers that read it differently would see different bodies.
    package static func isAboutBody(_ name: some Collection<UInt8>) -> Bool {
        let text = Array(name)[...].asciiLowercasedText
        return ["content-length", "transfer-encoding", "content-range"].contains { text.contains($0) }
    }

    private static func field(_ value: ArraySlice<UInt8>, of name: ArraySlice<UInt8>) -> [UInt8] {
        guard isAboutBody(name) else { return Self.value(value, of: name.trimmingOptionalSpace.asciiLowercasedText) }
        // White space at the end is not part of a value (RFC 9110, 5.5), but a parser can overlook `chunked` before a tab.
        return Array(value[..<(value.lastIndex { !$0.isOptionalSpace }.map { $0 + 1 } ?? value.startIndex)])
    }

    private static func isUnclean(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 && byte != 0x0D || byte >= 0x7F }
}

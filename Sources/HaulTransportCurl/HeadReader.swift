import HTTPTypes

/// Reads the head of an HTTP answer line by line, as libcurl hands it on, and trusts none of it.
///
/// Interim answers (RFC 9110, section 15.2) are skipped, but for 101, which no request of Haul asks for. What libcurl takes but could be read in two ways is refused: a length that
/// is no number, two that differ, one beside `Transfer-Encoding` (RFC 9112, section 6.3).
struct HeadReader {
    /// What a line led to.
    enum Step: Hashable {
        /// More lines are to come.
        case more
        /// The head is complete.
        case head(HTTPResponse)
        /// It can't be trusted.
        case broken(String)
    }

    /// The largest head, in bytes.
    static let largest = 1 << 20

    private var size = 0
    private var response: HTTPResponse?

    /// Takes the next line, with its end.
    mutating func take(_ line: [UInt8]) -> Step {
        var bytes = line
        size += bytes.count
        guard size <= Self.largest else { return .broken("the answer's head is larger than 1 MiB") }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        if bytes.starts(with: "HTTP/".utf8) { return begin(bytes) }
        guard response != nil else { return .broken("the answer is no HTTP") }
        if bytes.isEmpty { return end() }
        return field(bytes) ? .more : .broken("the answer has a header line that is none")
    }

    private mutating func begin(_ bytes: [UInt8]) -> Step {
        size = bytes.count
        response = nil
        // HTTP/1.1 200 OK
        guard bytes.count >= 12, bytes.starts(with: "HTTP/1.".utf8), bytes[8] == UInt8(ascii: " "),
            bytes.count == 12 || bytes[12] == UInt8(ascii: " "),
            let status = Int(String(decoding: bytes[9..<12], as: UTF8.self)), (100...999).contains(status)
        else { return .broken("the answer's first line is no HTTP/1.1") }
        let reason = String(decoding: bytes.dropFirst(13), as: UTF8.self)
        response = HTTPResponse(status: HTTPResponse.Status(code: status, reasonPhrase: reason))
        return .more
    }

    private mutating func field(_ bytes: [UInt8]) -> Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: bytes[..<colon], as: UTF8.self))
        else { return continuation(bytes) }
        var value = bytes[(colon + 1)...]
        while let first = value.first, Self.isBlank(first) { value.removeFirst() }
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        response?.headerFields.append(HTTPField(name: name, value: String(decoding: value, as: UTF8.self)))
        return true
    }

    /// RFC 9112, section 5.2: a line that begins with white space goes on with the one before.
    private mutating func continuation(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, Self.isBlank(first), var fields = response?.headerFields, let last = fields.last
        else { return false }
        let text = String(decoding: bytes.drop(while: Self.isBlank), as: UTF8.self)
        fields[fields.endIndex - 1] = HTTPField(name: last.name, value: last.value + " " + text)
        response?.headerFields = fields
        return true
    }

    private mutating func end() -> Step {
        guard let head = response else { return .more }
        response = nil
        size = 0
        if (100..<200).contains(head.status.code), head.status.code != 101 { return .more }
        let lengths = Set(head.headerFields[values: .contentLength])
        guard lengths.allSatisfy({ Self.isLength($0) }), lengths.count <= 1 else {
            return .broken("the answer's Content-Length makes no sense")
        }
        guard lengths.isEmpty || head.headerFields[.transferEncoding] == nil else {
            return .broken("the answer has both Content-Length and Transfer-Encoding")
        }
        return .head(head)
    }

    private static func isLength(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 } && Int64(text) != nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

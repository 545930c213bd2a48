import HTTPTypes
import HaulCore

/// Parses the head of an HTTP response line by line, as libcurl delivers it, and trusts none of it.
///
/// It is as lenient as browsers about what does not matter: invalid header names, lines that are not headers, folded
/// lines, odd bytes, versions. The end of the body must be clear, and libcurl must have understood it in the same way:
/// a length that is not a number, two that differ, and a length or a transfer coding in a malformed or folded line are
/// rejected. Beside chunks a length is ignored (RFC 9112, section 6.3).
///
/// Interim responses (RFC 9110, section 15.2) are skipped, except 101, which no request of Haul asks for.
struct CurlHeadReader {
    /// The result of a line.
    enum Step: Hashable {
        /// More lines follow.
        case more
        /// The head is complete.
        case head(HTTPResponse)
        /// The head cannot be trusted.
        case broken(String)
        /// The head, with the interim ones before it, is larger than `largest`.
        case tooLarge
    }

    /// The kinds of a body's end.
    enum BodyEnd: Hashable {
        /// The end that libcurl determines: the length, or the end of the connection.
        case libcurl
        /// This number of bytes, which libcurl has not read from the head.
        case count(Int64)
        /// The last chunk.
        case chunks
    }

    /// The maximum size of a head and the interim ones before it, in bytes.
    static let largest = 1 << 20

    /// The end of the body for the last head.
    private(set) var bodyEnd = BodyEnd.libcurl
    private var size = 0
    private var response: HTTPResponse?
    /// The field that a folded line continues.
    private var last: (name: String, bytes: [UInt8])?

    /// Processes the next line, including its end.
    mutating func take(_ line: [UInt8]) -> Step {
        var bytes = line
        size += bytes.count
        guard size <= Self.largest else { return .tooLarge }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        guard response != nil else { return begin(bytes) }
        if bytes.isEmpty { return end() }
        // libcurl treats such a line as the end of the head.
        guard bytes.first != 0x0D else { return .broken("the response headers have no clear end") }
        return field(bytes) ? .more : .broken("the response has a malformed header about its body")
    }

    private mutating func begin(_ bytes: [UInt8]) -> Step {
        last = nil
        bodyEnd = .libcurl
        // HTTP/1.1 200 OK
        guard let code = Self.status(bytes) else { return .broken("the response is not HTTP") }
        let reason = HeadRepair.value(bytes.drop { $0 != 0x20 }.dropFirst(5), of: "reason")
        response = HTTPResponse(
            status: HTTPResponse.Status(code: code, reasonPhrase: String(decoding: reason, as: UTF8.self)))
        return .more
    }

    /// Returns the status in a first line, after any version of valid form.
    private static func status(_ line: [UInt8]) -> Int? {
        guard line.starts(with: "HTTP/".utf8), let blank = line.firstIndex(of: 0x20) else { return nil }
        let isVersion = line[5..<blank].allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
        let rest = line[(blank + 1)...]
        let digits = rest.prefix(3)
        guard isVersion, (6...8).contains(blank), digits.count == 3, digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            rest.count == 3 || rest[blank + 4] == 0x20, let code = Int(String(decoding: digits, as: UTF8.self)),
            code >= 100
        else { return nil }
        return code
    }

    /// Processes a field or the continuation of one; returns false if it makes the end of the body unclear.
    private mutating func field(_ bytes: [UInt8]) -> Bool {
        // RFC 9112, section 5.2: a line that begins with white space continues the one before.
        if let first = bytes.first, Self.isBlank(first) { return continuation(bytes) }
        finishField()
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            HTTPField.Name(String(decoding: bytes[..<colon], as: UTF8.self)) != nil
        else {
            let name = bytes.prefix { $0 != UInt8(ascii: ":") }
            // A blank before the colon only hides the field from libcurl.
            let trimmed = String(decoding: name.reversed().drop(while: Self.isBlank).reversed(), as: UTF8.self)
            guard name.count < bytes.count, HTTPField.Name(trimmed) != nil else {
                return !HeadRepair.isAboutBody(name)
            }
            last = (trimmed.lowercased(), Array(bytes[(name.endIndex + 1)...]))
            return !["transfer-encoding", "content-length"].contains(last?.name)
        }
        last = (String(decoding: bytes[..<colon], as: UTF8.self).lowercased(), Array(bytes[(colon + 1)...]))
        return true
    }

    private mutating func continuation(_ bytes: [UInt8]) -> Bool {
        guard let name = last?.name else { return !HeadRepair.isAboutBody(bytes) }
        // libcurl reads the lines of these one by one.
        guard !HeadRepair.isAboutBody(name.utf8) else { return false }
        last?.bytes += [0x20] + bytes.drop(while: Self.isBlank)
        return true
    }

    private mutating func finishField() {
        guard let field = last.take(), let name = HTTPField.Name(field.name) else { return }
        var value = field.bytes[...]
        while let first = value.first, Self.isBlank(first) { value.removeFirst() }
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        let text = String(decoding: HeadRepair.value(value, of: field.name), as: UTF8.self)
        response?.headerFields.append(HTTPField(name: name, value: text))
    }

    private mutating func end() -> Step {
        finishField()
        guard var head = response.take() else { return .more }
        if (100..<200).contains(head.status.code), head.status.code != 101 { return .more }
        size = 0
        guard let length = Self.length(head.headerFields[values: .contentLength]) else {
            return .broken("the response has an invalid Content-Length")
        }
        head.headerFields[.contentLength] = length.map(String.init)
        let codings = head.headerFields[values: .transferEncoding].flatMap { $0.lowercased().split(separator: ",") }
            .map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty && $0 != "identity" }
        if head.headerFields[.transferEncoding] != nil, codings.isEmpty {
            // libcurl would wait for the end of the connection.
            head.headerFields[.transferEncoding] = nil
            bodyEnd = length.map { .count($0) } ?? .libcurl
        } else if codings.last == "chunked" {
            head.headerFields[.contentLength] = nil
            bodyEnd = .chunks
        }
        return .head(head)
    }

    /// Returns the length that all values agree on, `.some(nil)` if there is none; nil if they disagree.
    private static func length(_ values: [String]) -> Int64?? {
        let parts = values.flatMap {
            Array($0.utf8).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        }
        let lengths = parts.map { part in
            let digits = String(
                decoding: part.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
            return !digits.isEmpty && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(digits) : nil
        }
        guard let first = lengths.first else { return .some(nil) }
        guard let first, lengths.allSatisfy({ $0 == first }) else { return nil }
        return .some(first)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

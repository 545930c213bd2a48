import HaulCore

/// The replies of an FTP server on the control connection that matter here (RFC 959, section 4.2; RFC 3659).
struct FTPReplies: Hashable {
    /// The code of the last reply; 0 before the first.
    private(set) var code = 0
    /// The text of the last line, limited to some 200 bytes.
    private(set) var text = ""
    /// The file's size; nil if the server did not report it.
    private(set) var size: Int64?
    private var answersSize = false
    /// The number in the announcement of the transfer, such as `150 Opening connection for f (12345 bytes).`; nil if it has
    /// no number.
    private(set) var announced: Int64?

    /// Notes the command that the next replies answer.
    mutating func sent(_ command: [UInt8]) { answersSize = command.starts(with: Array("SIZE ".utf8)) }

    /// Processes the next line, including its end.
    mutating func take(_ line: [UInt8]) {
        let bytes = Array(line.prefix(256)).filter { $0 != 0x0A && $0 != 0x0D }
        // "213-" begins a reply of several lines, and its other lines may begin with anything: only the last one
        // counts.
        guard bytes.count >= 3, bytes.prefix(3).allSatisfy({ 0x30...0x39 ~= $0 }),
            bytes.count == 3 || bytes[3] == UInt8(ascii: " "),
            let code = Int(String(decoding: bytes[..<3], as: UTF8.self))
        else { return }
        self.code = code
        text = String(decoding: bytes.dropFirst(4), as: UTF8.self)
        if code == 125 || code == 150 { announced = Self.announcedSize(line) }
        if code == 213, answersSize { size = Self.number(bytes.dropFirst(4)) }
    }

    /// Returns the number at the end of a reply, before which some servers send text; nil for `-1`, `9e18` or `12 bytes`, for
    /// example.
    private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
        func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
        let last = Array(text.reversed().prefix(while: isDigit).reversed())
        let before = text.dropLast(last.count).last
        return before == nil || before == UInt8(ascii: " ") ? Int64(String(decoding: last, as: UTF8.self)) : nil
    }

    /// Returns the number in the last `(N bytes`: the name of the file, which comes before it, may contain another.
    private static func announcedSize(_ line: [UInt8]) -> Int64? {
        let text = String(decoding: line, as: UTF8.self)
        guard let bytes = text.ranges(of: " bytes").last(where: { text[..<$0.lowerBound].last?.isWholeNumber == true })
        else { return nil }
        let digits = text[..<bytes.lowerBound].reversed().prefix { ("0"..."9").contains($0) }
        guard text[..<bytes.lowerBound].dropLast(digits.count).last == "(" else { return nil }
        return Int64(String(digits.reversed()))
    }

    /// Returns the last reply if it is a refusal, such as `530 Login incorrect.`; empty otherwise.
    ///
    /// - Parameter secret: A text that must not be shown if the server repeats it.
    func refusal(hiding secret: String) -> String {
        guard code >= 400 else { return "" }
        let isShown = !text.isEmpty && (secret.isEmpty || !text.contains(secret))
        return isShown ? "\(code) \(TerminalText.fitted(text, width: 80))" : "\(code)"
    }

    /// True if the server has too many users, which most report with 421 and some with 530 (RFC 959 has no code for
    /// it).
    var isBusy: Bool {
        if code == 421 { return true }
        let text = text.lowercased()
        return code == 530 && ["too many", "maximum", "try again later", "limit"].contains { text.contains($0) }
    }
}

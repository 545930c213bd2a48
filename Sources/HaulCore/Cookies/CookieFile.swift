/// A cookie file in Netscape format, as written by browser extensions, curl and wget.
package struct CookieFile: Sendable, Hashable {
    /// The cookies, in the order of the file.
    package private(set) var cookies: [Cookie] = []
    /// The number of lines that are neither cookies, comments nor blank.
    package private(set) var badLines = 0

    /// Parses a file: one cookie per line, seven fields separated by tabs.
    ///
    /// The fields: domain, subdomains included, path, TLS required, expiry (seconds since 1970, 0: never), name, value.
    /// `#HttpOnly_` before the domain is ignored; other lines that begin with `#` are comments. The value may be
    /// missing.
    package init(parsing bytes: [UInt8]) {
        for var line in bytes.split(separator: UInt8(ascii: "\n")) {
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            let isHidden = line.starts(with: Self.httpOnly)
            if isHidden { line = line.dropFirst(Self.httpOnly.count) }
            if line.allSatisfy(\.isOptionalSpace) || !isHidden && line.first == UInt8(ascii: "#") { continue }
            if let cookie = Self.cookie(line) { cookies.append(cookie) } else { badLines += 1 }
        }
    }

    private static let httpOnly = Array("#HttpOnly_".utf8)

    private static func cookie(_ line: ArraySlice<UInt8>) -> Cookie? {
        let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard (6...7).contains(fields.count), let text = String(validating: line, as: UTF8.self),
            !text.utf8.contains(where: { $0.isASCIIControl && $0 != 9 }),
            let below = flag(fields[1]), let isSecure = flag(fields[3]), let ends = number(fields[4])
        else { return nil }
        let domain = fields[0].first == UInt8(ascii: ".") ? fields[0].dropFirst() : fields[0]
        let path = String(decoding: fields[2], as: UTF8.self)
        let name = String(decoding: fields[5], as: UTF8.self)
        let value = fields.count == 7 ? String(decoding: fields[6], as: UTF8.self) : ""
        guard !domain.isEmpty, path.hasPrefix("/"), !name.isEmpty,
            !name.utf8.contains(where: { ";=".utf8.contains($0) }),
            !value.utf8.contains(UInt8(ascii: ";"))
        else { return nil }
        return Cookie(
            name: name, value: value, domain: domain.asciiLowercasedText, isHostOnly: !below, path: path,
            isSecure: isSecure, expires: ends > 0 ? ends : nil)
    }

    private static func flag(_ field: ArraySlice<UInt8>) -> Bool? {
        switch field.asciiLowercasedText {
        case "true": true
        case "false": false
        case _: nil
        }
    }

    /// Returns a number of seconds; a fraction, which some writers add, is ignored.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        let whole = field.prefix { $0 != UInt8(ascii: ".") }
        let digits = whole.first == UInt8(ascii: "-") ? whole.dropFirst() : whole
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return whole.count > digits.count ? 1 : Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}

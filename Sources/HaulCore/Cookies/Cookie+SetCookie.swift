extension Cookie {
    /// Reads a `Set-Cookie` value (RFC 6265, sections 5.2 and 5.3), or gives nil where the cookie is refused.
    ///
    /// Refused are: domains that are not the URL's own or strangers share, secure ones from a URL without TLS, broken promises of a name
    /// that begins with `__Secure-` or `__Host-` (RFC 6265bis, section 4.1.3), control characters, and more than 4096 bytes.
    ///
    /// - Parameter now: The time of day in seconds since 1970; one that has expired by then is given, so that it takes the place of
    ///   the one before it.
    package init?(setCookie text: String, from url: SourceURL, now: Int64) {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 4096, let first = parts.first, let (name, value) = Self.pair(first, needsEquals: true),
            !(name.isEmpty && value.isEmpty), !(name + value).utf8.contains(where: \.isASCIIControl)
        else { return nil }
        self.init(
            name: name, value: value, domain: url.host, isHostOnly: true, path: CookieScope.defaultPath(of: url.path),
            isSecure: false)
        var attributes = Attributes()
        for part in parts.dropFirst() {
            if let (name, value) = Self.pair(part, needsEquals: false) { attributes.take(name, value, now: now) }
        }
        guard apply(attributes, from: url) else { return nil }
    }

    private struct Attributes {
        var domain = ""
        var path: String?
        var isSecure = false
        var expires: Int64?
        var endsAt: Int64?

        /// The last one of each kind counts.
        mutating func take(_ name: String, _ value: String, now: Int64) {
            switch name.utf8.asciiLowercasedText {
            case "domain":
                let domain = value.utf8.asciiLowercasedText
                self.domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
            case "path": path = value.hasPrefix("/") ? value : nil
            case "secure": isSecure = true
            case "expires": expires = CookieDate.parse(value) ?? expires
            case "max-age": endsAt = Self.end(value, now: now) ?? endsAt
            case _: break
            }
        }

        private static func end(_ value: String, now: Int64) -> Int64? {
            let digits = value.utf8.first == UInt8(ascii: "-") ? value.utf8.dropFirst() : value.utf8[...]
            guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
            guard digits.count == value.utf8.count, digits.contains(where: { $0 != UInt8(ascii: "0") }) else {
                return .min
            }
            let (sum, overflows) = now.addingReportingOverflow(Int64(value) ?? .max)
            return overflows ? .max : sum
        }
    }

    private mutating func apply(_ attributes: Attributes, from url: SourceURL) -> Bool {
        if !attributes.domain.isEmpty, attributes.domain != url.host {
            guard CookieScope.domain(url.host, matches: attributes.domain), !CookieScope.isShared(attributes.domain)
            else {
                return false
            }
            domain = attributes.domain
            isHostOnly = false
        } else if attributes.domain == url.host {
            // A host that strangers share, or an address, stays alone with its cookie.
            isHostOnly = CookieScope.isShared(url.host) || IPAddress(url.host) != nil
        }
        path = attributes.path ?? path
        isSecure = attributes.isSecure
        expires = attributes.endsAt ?? attributes.expires
        if isSecure, !url.isSecure { return false }
        let prefix = name.utf8.asciiLowercasedText
        if prefix.hasPrefix("__secure-"), !isSecure { return false }
        return !prefix.hasPrefix("__host-") || isSecure && attributes.domain.isEmpty && attributes.path == "/"
    }

    /// `name=value` without the blanks around both; without a `=` a name alone.
    private static func pair(_ bytes: ArraySlice<UInt8>, needsEquals: Bool) -> (name: String, value: String)? {
        let equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
        guard equals < bytes.endIndex || !needsEquals else { return nil }
        func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes.trimmingOptionalSpace, as: UTF8.self) }
        return (text(bytes[..<equals]), text(bytes[equals...].dropFirst()))
    }
}

extension Cookie {
    /// Parses a `Set-Cookie` value (RFC 6265, sections 5.2 and 5.3); returns nil if the cookie is rejected.
    ///
    /// Rejected are: domains that do not match the URL's host or that are public suffixes, secure cookies from a URL
    /// without TLS, cookies that violate the `__Secure-` or `__Host-` prefix of their name (RFC 6265bis, section
    /// 4.1.3), control characters, and values of more than 4096 bytes.
    ///
    /// - Parameter now: The current time in seconds since 1970. A cookie that has expired is returned, because it
    ///   deletes the stored one.
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

        /// Applies an attribute; the last one of each kind counts.
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
            // A cookie for a public suffix or an IP address is limited to that host.
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

    /// Splits `name=value` and trims both; without `=`, it is a name alone.
    private static func pair(_ bytes: ArraySlice<UInt8>, needsEquals: Bool) -> (name: String, value: String)? {
        let equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
        guard equals < bytes.endIndex || !needsEquals else { return nil }
        func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes.trimmingOptionalSpace, as: UTF8.self) }
        return (text(bytes[..<equals]), text(bytes[equals...].dropFirst()))
    }
}

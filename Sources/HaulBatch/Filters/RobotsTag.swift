/// The `X-Robots-Tag` header: rules for what may be done with a file.
package enum RobotsTag {
    /// Returns the first of some directives that a response has for a client; nil if it has none.
    ///
    /// A directive is for all clients, or for one that is named before it: `otherbot: noindex`.
    ///
    /// - Parameters:
    ///   - values: The values of all `X-Robots-Tag` headers.
    ///   - disallowed: Directives in lower case.
    ///   - agent: The name of the client in lower case.
    package static func disallowed(
        _ values: some Sequence<String>, _ disallowed: Set<String>, agent: String
    ) -> String? {
        for value in values {
            var isForUs = true
            for part in value.split(separator: ",") {
                var directive = String(String(part).trimmingSpaces).lowercased()
                // `unavailable_after` and the like have values of their own.
                if let colon = directive.firstIndex(of: ":") {
                    let name = String(directive[..<colon].trimmed)
                    // The rest of a date after a comma has colons, too: `unavailable_after: Sat, 25 Jun 2050 15:00:00 GMT`.
                    guard !valued.contains(name), name == agent || isClient(name) else { continue }
                    isForUs = name == "*" || name == agent
                    directive = String(directive[directive.index(after: colon)...].trimmed)
                }
                if isForUs, disallowed.contains(directive) { return directive }
                // `none` means `noindex, nofollow`.
                if isForUs, directive == "none", disallowed.contains("noindex") { return "noindex" }
            }
        }
        return nil
    }

    private static let valued: Set<String> = [
        "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview", "rating",
    ]

    /// The bytes of a product and its version in a User-Agent (RFC 9110), in lower case.
    private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~/".utf8)

    /// Returns true if a text may be the name of a client, and is not part of a date.
    private static func isClient(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        return !isDigit && text.utf8.allSatisfy { nameBytes.contains($0) }
    }

    /// Returns the name of a client from its User-Agent: its first word, without a version.
    package static func name(ofAgent userAgent: String) -> String {
        userAgent.prefix { $0 != "/" && $0 != " " }.lowercased()
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    var trimmed: Substring { String(self).trimmingSpaces }
}

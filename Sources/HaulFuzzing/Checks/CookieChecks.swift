import HaulCore

/// Properties of cookies from servers and files.
enum CookieChecks {
    /// Checks `Set-Cookie`, after a line with the URL of the response.
    ///
    /// A cookie is never sent to another site, and a secure one only over TLS.
    static func response(_ responding: String, _ value: String) throws(FuzzFinding) {
        guard let url = try? SourceURL(parsing: responding) else { return }
        for now in [Int64.min, 0, 1_767_225_600, .max] {
            guard let cookie = Cookie(setCookie: value, from: url, now: now) else { continue }
            let isOwn = cookie.domain == url.host || !cookie.isHostOnly && url.host.hasSuffix("." + cookie.domain)
            try claim(isOwn, "a cookie is for the host that sets it: \(cookie) from \(url.host)")
            try claim(!cookie.isSecure || url.isSecure, "no secure cookie comes in the clear: \(cookie)")
            var jar = CookieJar()
            _ = jar.receive([value, value], from: url, now: now)
            try claimSent(jar.header(for: url, now: now))
            for stranger in strangers where !isMeant(cookie, for: stranger) {
                try claim(
                    jar.header(for: stranger, now: now) == nil, "a stranger gets nothing: \(cookie) to \(stranger)")
            }
        }
    }

    /// Checks a cookie file with any content.
    static func file(_ bytes: [UInt8]) throws(FuzzFinding) {
        let file = CookieFile(parsing: bytes)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).count
        try claim(file.cookies.count + file.badLines <= lines, "a line is one cookie at most")
        let jar = CookieJar(file.cookies)
        for url in strangers {
            guard let header = jar.header(for: url, now: 0) else { continue }
            try claim(file.cookies.contains { $0.fits(url, now: 0) }, "what is sent fits: \(header)")
            try claimSent(header)
        }
    }

    private static let strangers = [
        "https://example.org/a/b", "http://example.org/", "https://[::1]/", "http://127.0.0.1/",
    ]
    .compactMap { try? SourceURL(parsing: $0) }

    private static func isMeant(_ cookie: Cookie, for url: SourceURL) -> Bool {
        (url.host == cookie.domain || url.host.hasSuffix("." + cookie.domain)) && (url.isSecure || !cookie.isSecure)
    }

    private static func claimSent(_ header: String?) throws(FuzzFinding) {
        let isLine = header?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ?? true
        try claim(isLine, "a header is one line: \(header ?? "")")
    }
}

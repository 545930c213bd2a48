import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Properties of URLs from users and servers.
enum URLChecks {
    /// Checks a URL: canonical, valid in a request line, readable again, its secrets hidden.
    static func url(_ text: String) throws(FuzzFinding) {
        let url: SourceURL
        do throws(DownloadError) {
            url = try SourceURL(parsing: text)
        } catch {
            return try claimMessage(error, .invalidRequest)
        }
        try claimCanonical(url)
    }

    /// Checks `Location`: resolved to a canonical URL; https stays https, and credentials stay with their authority.
    static func redirect(_ base: String, _ location: String) throws(FuzzFinding) {
        guard let base = try? SourceURL(parsing: base) else { return }
        for allowsDowngrade in [false, true] {
            let target: SourceURL
            do throws(DownloadError) {
                target = try RedirectPolicy(allowsDowngrade: allowsDowngrade).next(location, from: base, after: [])
            } catch {
                try claimMessage(error, .redirectRefused)
                continue
            }
            try claimCanonical(target)
            try claim(target != base, "a redirect leads elsewhere: \(target.string)")
            try claim(allowsDowngrade || !base.isSecure || target.isSecure, "https stays https: \(target.string)")
            let isOwn = target.credentials == nil || location.utf8.contains(UInt8(ascii: "@"))
            try claim(isOwn || target.origin == base.origin, "credentials cross no origin: \(target.string)")
            let again = try? base.resolving(target.string)
            try claimSameBytes(again?.string ?? "", target.string, "an absolute reference is its own target")
        }
    }

    /// Checks that a password before `back`, whatever precedes it, is never shown in a message or log.
    static func secrets(_ front: String, _ back: String) throws(FuzzFinding) {
        guard !front.contains(secret), !back.contains(secret), !endsAuthority(front) else { return }
        let text = "\(front)user:\(secret)@\(back)"
        let url: SourceURL
        do throws(DownloadError) {
            url = try SourceURL(parsing: text)
        } catch {
            return try claimHidden(error.message)
        }
        // After a complete authority, the text is part of the path, and not a password.
        if url.credentials?.password.contains(secret) == true { try claimHidden(url.redacted) }
    }

    private static let secret = "hunter2"

    private static func claimHidden(_ text: String) throws(FuzzFinding) {
        try claim(!text.contains(secret), "a password is never shown: \(text)")
    }

    /// Returns true if a text has a complete authority and something after it: a later `@` does not follow credentials.
    private static func endsAuthority(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]) else { return false }
        let slashes = bytes[(colon + 1)...]
        guard slashes.starts(with: "//".utf8) else { return false }
        let authority = slashes.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        return !authority.isEmpty && authority.endIndex < bytes.endIndex
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20) else {
            return false
        }
        return bytes.allSatisfy {
            "abcdefghijklmnopqrstuvwxyz0123456789+-.".utf8.contains($0 | ($0 >= 0x40 ? 0x20 : 0))
        }
    }

    private static func claimMessage(_ error: DownloadError, _ code: DownloadError.Code) throws(FuzzFinding) {
        try claim(error.code == code, "the error has code \(code): \(error)")
        try claimSameBytes(TerminalText.printable(error.message), error.message, "a message can be printed")
    }

    private static func claimCanonical(_ url: SourceURL) throws(FuzzFinding) {
        let text = url.string
        try claim(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a URL fits a request line: \(text)")
        try claim(!url.host.isEmpty && (1...65_535).contains(url.origin.port), "a URL names a host and a port: \(text)")
        try claim(url.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash: \(text)")
        let segments = url.path.utf8.split(separator: UInt8(ascii: "/"))
        try claim(
            !segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }, "no dot segments: \(text)"
        )
        guard let again = try? SourceURL(parsing: text) else {
            throw FuzzFinding("a canonical URL is refused: \(text)")
        }
        try claimSameBytes(again.string, text, "a canonical URL stays as it is")
        try claim(again.origin == url.origin && again.credentials == nil, "a canonical URL has no credentials: \(text)")
        try claimSameBytes(again.redacted, url.redacted, "credentials leave no trace in a log")
        try NameChecks.claimSafe(FileName.suggested(contentDisposition: nil, url: url), limit: 239)
        guard let credentials = url.credentials else { return }
        let encoded = credentials.basicAuthorization.utf8.dropFirst("Basic ".utf8.count)
        let decoded = Data(base64Encoded: Data(encoded)).map { String(decoding: $0, as: UTF8.self) }
        try claimSameBytes(
            decoded ?? "", "\(credentials.user):\(credentials.password)", "credentials are sent as they are")
        try claim(!credentials.user.utf8.contains(UInt8(ascii: ":")), "a user name has no colon")
    }
}

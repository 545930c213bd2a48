extension DownloadSpec {
    /// The spec as it may be stored, and whether something had to be left out (guarantee: secrets stay home).
    ///
    /// User name and password go from the URL. All headers keep their names and places, but only a few harmless ones
    /// keep their values, since any other may be a token that has a name of its own. Of a password or token the path of its
    /// file stays.
    package func withoutSecrets() -> (spec: DownloadSpec, lacksSecrets: Bool) {
        var spec = self
        var lacksSecrets = false
        if let stripped = Self.withoutCredentials(url) {
            spec.url = stripped
            lacksSecrets = true
        }
        for index in mirrors.indices {
            guard let stripped = Self.withoutCredentials(mirrors[index].url) else { continue }
            spec.mirrors[index].url = stripped
            lacksSecrets = true
        }
        for index in headers.indices where headers[index].mayBeSecret {
            spec.headers[index].value = ""
            lacksSecrets = true
        }
        if password?.isPassing == true {
            spec.password = .missing
            lacksSecrets = true
        }
        if bearerToken?.isPassing == true {
            spec.bearerToken = .missing
            lacksSecrets = true
        }
        return (spec, lacksSecrets)
    }

    /// Whether this spec, made of a stored one that lacks its secrets, lacks them still.
    ///
    /// It does where nothing that can hold a secret was given anew, and where a header that lost its value has none
    /// yet.
    package func stillLacksSecrets(of stored: DownloadSpec) -> Bool {
        let isSame =
            url == stored.url && headers == stored.headers && mirrors == stored.mirrors
            && password == stored.password && bearerToken == stored.bearerToken
        return isSame || headers.contains { $0.value.isEmpty && !$0.isHarmless }
            || [password, bearerToken].contains(.missing)
    }

    /// Moves to another URL.
    ///
    /// Credentials stay with the origin that they were given for (guarantee: secrets stay home).
    package mutating func move(to newURL: String) throws(DownloadError) {
        let isSameOrigin = try SourceURL(parsing: newURL).origin == SourceURL(parsing: url).origin
        url = newURL
        guard !isSameOrigin else { return }
        (user, password, bearerToken) = (nil, nil, nil)
        (clientCertificatePath, clientKeyPath) = (nil, nil)
        headers.removeAll { !$0.isHarmless }
    }

    /// The URL in canonical form without its credentials; nil where it has none and may stay as it was written.
    ///
    /// Credentials stand before an `@` (RFC 3986, section 3.2.1): without one there is nothing to parse.
    private static func withoutCredentials(_ url: String) -> String? {
        guard url.utf8.contains(UInt8(ascii: "@")) else { return nil }
        do throws(DownloadError) {
            let source = try SourceURL(parsing: url)
            return source.credentials == nil ? nil : source.string
        } catch {
            // What can't be parsed can't be fetched either, so it need not stay whole.
            return URLRedaction.shown(url)
        }
    }
}

extension DownloadSpec.Header {
    /// Whether its value may be a secret: an empty one never is.
    fileprivate var mayBeSecret: Bool {
        if name.lowercased() == "referer" { return value.utf8.contains(UInt8(ascii: "@")) }
        return !value.allSatisfy { $0 == " " } && !isHarmless
    }

    /// Whether it never holds a secret; a `Referer` may, where its URL has credentials.
    package var isHarmless: Bool { Self.harmless.contains(name.lowercased()) }

    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "referer", "user-agent",
    ]
}

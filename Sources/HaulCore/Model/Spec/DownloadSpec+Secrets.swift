extension DownloadSpec: CustomStringConvertible, CustomDebugStringConvertible {
    /// The URL without its secrets, and the destination, so that printing a spec is never a leak.
    public var description: String {
        let goal =
            switch placement.destination {
            case .file(let path): path
            case .folder(let path), .hashed(let path): path + "/"
            }
        return "\(URLRedaction.shown(source.url)) to \(goal)"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
}

extension DownloadSpec {
    /// The spec as it may be stored, and whether something had to be left out (guarantee: secrets stay home).
    ///
    /// User name and password go from the URL. All headers keep their names and places, but only a few harmless ones
    /// keep their values, since any other may be a token that has a name of its own. Of a password or token the path of its
    /// file stays, and of a body its fingerprint.
    package func withoutSecrets() -> (spec: DownloadSpec, lacksSecrets: Bool) {
        var spec = self
        var lacksSecrets = false
        if let stripped = Self.withoutCredentials(source.url) {
            spec.source.url = stripped
            lacksSecrets = true
        }
        for index in source.mirrors.indices {
            guard let stripped = Self.withoutCredentials(source.mirrors[index].url) else { continue }
            spec.source.mirrors[index].url = stripped
            lacksSecrets = true
        }
        if let body = source.body, !body.isMissing {
            spec.source.body = body.withoutBytes
            lacksSecrets = true
        }
        for index in access.headers.indices where access.headers[index].mayBeSecret {
            spec.access.headers[index].value = ""
            lacksSecrets = true
        }
        spec.access.referer = access.sentReferer
        if access.password?.isPassing == true {
            spec.access.password = .missing
            lacksSecrets = true
        }
        if access.bearerToken?.isPassing == true {
            spec.access.bearerToken = .missing
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
            source.url == stored.source.url && source.mirrors == stored.source.mirrors
            && access.headers == stored.access.headers && access.password == stored.access.password
            && access.bearerToken == stored.access.bearerToken && source.body == stored.source.body
        return isSame || source.body?.isMissing == true
            || access.headers.contains { $0.value.isEmpty && !$0.isHarmless }
            || [access.password, access.bearerToken].contains(.missing)
    }

    /// Moves to another URL.
    ///
    /// Credentials stay with the origin that they were given for (guarantee: secrets stay home).
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the URL is invalid, or of another origin than that of a
    ///   request with a body.
    package mutating func move(to newURL: String) throws(DownloadError) {
        let isSameOrigin = try SourceURL(parsing: newURL).origin == SourceURL(parsing: source.url).origin
        guard isSameOrigin || source.body == nil else {
            throw DownloadError(
                .invalidRequest,
                "the body of the request is sent only to the server that it was given for: add a new download")
        }
        source.url = newURL
        guard !isSameOrigin else { return }
        (access.user, access.password, access.bearerToken) = (nil, nil, nil)
        (local.clientCertificatePath, local.clientKeyPath) = (nil, nil)
        access.headers.removeAll { !$0.isHarmless }
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

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Written by hand for two reasons: a spec that an older version wrote has to be read by a newer one, and a catalogue of a
/// million should not hold a million times what is the default.
extension DownloadSpec: Codable {
    private enum CodingKeys: String, CodingKey {
        case url, destination, onConflict, connections, checksum, headers, resumes, retries, connectTimeout, idleTimeout
        case maxWait, maxTime, minSpeed
        case adoptsPartials, findsChecksum, usesHeaderChecksum, verifiesExisting
        case insecure, allowsDowngrade, failsOnHTML, publicAddressesOnly, range, partialFolder, rateLimit, compression
        case user, passwordPath, authentication, tokenPath, netrcPath, cookiePath, clientCertificatePath, clientKeyPath
        case key, group, tags, priority, notBefore, startsAtOnce, startsPaused
        case isNamedByDocument, mirrors, usesLinkedMirrors, pieces, expectedBytes, tuning
    }

    /// Reads a spec; durations are seconds.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            url: try values.decode(String.self, forKey: .url),
            destination: try values.decode(Destination.self, forKey: .destination))
        func take<Value: Decodable>(_ key: CodingKeys, _ target: inout Value) throws {
            target = try values.decodeIfPresent(Value.self, forKey: key) ?? target
        }
        func seconds(_ key: CodingKeys) throws -> Duration? {
            try values.decodeIfPresent(Double.self, forKey: key).map {
                .milliseconds(Int64((min(max($0, 0), 1e9) * 1000).rounded()))
            }
        }
        func takeSeconds(_ key: CodingKeys, _ target: inout Duration) throws {
            target = try seconds(key) ?? target
        }
        try take(.onConflict, &onConflict)
        try take(.connections, &connections)
        try take(.checksum, &checksum)
        try take(.findsChecksum, &findsChecksum)
        try take(.usesHeaderChecksum, &usesHeaderChecksum)
        try take(.verifiesExisting, &verifiesExisting)
        try take(.headers, &headers)
        try take(.resumes, &resumes)
        try take(.adoptsPartials, &adoptsPartials)
        try take(.retries, &retries)
        try takeSeconds(.connectTimeout, &connectTimeout)
        try takeSeconds(.idleTimeout, &idleTimeout)
        maxWait = try seconds(.maxWait)
        maxTime = try seconds(.maxTime)
        try take(.minSpeed, &minSpeed)
        try take(.insecure, &insecure)
        try take(.allowsDowngrade, &allowsDowngrade)
        try take(.failsOnHTML, &failsOnHTML)
        try take(.publicAddressesOnly, &publicAddressesOnly)
        try take(.range, &range)
        try take(.partialFolder, &partialFolder)
        try take(.rateLimit, &rateLimit)
        try take(.compression, &compression)
        try take(.user, &user)
        password = try values.decodeIfPresent(String.self, forKey: .passwordPath).map { .stored($0) }
        try take(.authentication, &authentication)
        bearerToken = try values.decodeIfPresent(String.self, forKey: .tokenPath).map { .stored($0) }
        try take(.netrcPath, &netrcPath)
        try take(.cookiePath, &cookiePath)
        try take(.clientCertificatePath, &clientCertificatePath)
        try take(.clientKeyPath, &clientKeyPath)
        try take(.key, &key)
        try take(.group, &group)
        try take(.tags, &tags)
        try take(.priority, &priority)
        try take(.notBefore, &notBefore)
        try take(.startsAtOnce, &startsAtOnce)
        try take(.startsPaused, &startsPaused)
        try take(.isNamedByDocument, &isNamedByDocument)
        try take(.mirrors, &mirrors)
        try take(.usesLinkedMirrors, &usesLinkedMirrors)
        try take(.pieces, &pieces)
        try take(.expectedBytes, &expectedBytes)
        try take(.tuning, &tuning)
    }

    /// Writes what differs from the defaults; of a password or token that does not stand in a file, only that there is one.
    public func encode(to encoder: any Encoder) throws {
        let standard = DownloadSpec(url: url, destination: destination)
        var values = encoder.container(keyedBy: CodingKeys.self)
        func put<Value: Encodable & Equatable>(_ key: CodingKeys, _ path: KeyPath<DownloadSpec, Value>) throws {
            if self[keyPath: path] != standard[keyPath: path] { try values.encode(self[keyPath: path], forKey: key) }
        }
        try values.encode(url, forKey: .url)
        try values.encode(destination, forKey: .destination)
        try put(.onConflict, \.onConflict)
        try put(.connections, \.connections)
        try put(.checksum, \.checksum)
        try put(.findsChecksum, \.findsChecksum)
        try put(.usesHeaderChecksum, \.usesHeaderChecksum)
        try put(.verifiesExisting, \.verifiesExisting)
        try put(.headers, \.headers)
        try put(.resumes, \.resumes)
        try put(.adoptsPartials, \.adoptsPartials)
        try put(.retries, \.retries)
        try put(.connectTimeout, \.connectTimeout.seconds)
        try put(.idleTimeout, \.idleTimeout.seconds)
        try put(.maxWait, \.maxWait?.seconds)
        try put(.maxTime, \.maxTime?.seconds)
        try put(.minSpeed, \.minSpeed)
        try put(.insecure, \.insecure)
        try put(.allowsDowngrade, \.allowsDowngrade)
        try put(.failsOnHTML, \.failsOnHTML)
        try put(.publicAddressesOnly, \.publicAddressesOnly)
        try put(.range, \.range)
        try put(.partialFolder, \.partialFolder)
        try put(.rateLimit, \.rateLimit)
        try put(.compression, \.compression)
        try put(.user, \.user)
        try put(.passwordPath, \.password?.storedPath)
        try put(.authentication, \.authentication)
        try put(.tokenPath, \.bearerToken?.storedPath)
        try put(.netrcPath, \.netrcPath)
        try put(.cookiePath, \.cookiePath)
        try put(.clientCertificatePath, \.clientCertificatePath)
        try put(.clientKeyPath, \.clientKeyPath)
        try put(.key, \.key)
        try put(.group, \.group)
        try put(.tags, \.tags)
        try put(.priority, \.priority)
        try put(.notBefore, \.notBefore)
        try put(.startsAtOnce, \.startsAtOnce)
        try put(.startsPaused, \.startsPaused)
        try put(.isNamedByDocument, \.isNamedByDocument)
        try put(.mirrors, \.mirrors)
        try put(.usesLinkedMirrors, \.usesLinkedMirrors)
        try put(.pieces, \.pieces)
        try put(.expectedBytes, \.expectedBytes)
        try put(.tuning, \.tuning)
    }
}

extension Secret {
    /// What may be written of it: its path, or nothing.
    fileprivate var storedPath: String { path ?? "" }

    /// The secret that was written so.
    fileprivate static func stored(_ path: String) -> Secret { path.isEmpty ? .missing : .file(path: path) }
}

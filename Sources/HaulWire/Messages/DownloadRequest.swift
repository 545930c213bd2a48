package import HaulCore

/// The request for one download: the parts of `DownloadSpec` that a request may contain, as one flat object.
///
/// Options that read files of the daemon's machine are not among them. The destination is a folder and a name, because
/// the daemon determines the rest. The same message reports the request of an existing download, without secrets.
@dynamicMemberLookup
package struct DownloadRequest: Hashable, Sendable {
    /// The parts; destination and secrets have fields of their own here.
    private var spec: DownloadSpec
    /// The destination folder, absolute or below the daemon's first root; nil means that root.
    package var folder: String?
    /// The name of the file; nil means the server's.
    package var name: String?
    /// True if the name is the SHA-256 of the URL instead.
    package var hashedName: Bool?
    /// The password of `user`; never reported.
    package var password: String?
    /// A token for the URL's own origin; never reported.
    package var bearerToken: String?

    /// Creates a request with the defaults.
    package init(url: String) { spec = DownloadSpec(url: url, destination: Self.noDestination) }

    /// Creates the request that the daemon reports for a spec: without secrets.
    package init(reporting spec: DownloadSpec) {
        self.spec = spec
        self.spec.placement.destination = Self.noDestination
        (self.spec.access.password, self.spec.access.bearerToken) = (nil, nil)
        self.spec.source.body = spec.source.body?.withoutBytes
        (self.spec.local, self.spec.tuning) = (DownloadSpec.Local(), DownloadTuning())
        switch spec.placement.destination {
        case .folder(let path): folder = path
        case .hashed(let path): (folder, hashedName) = (path, true)
        case .file(let path):
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
            folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        }
    }

    private static let noDestination = Destination.folder(path: "")

    /// Accesses a property of the spec.
    package subscript<Value>(dynamicMember path: WritableKeyPath<DownloadSpec, Value>) -> Value {
        get { spec[keyPath: path] }
        set { spec[keyPath: path] = newValue }
    }

    /// Returns the spec for a request from a client.
    ///
    /// - Parameter destination: The destination of the file; the daemon has verified that it is below a root.
    /// - Throws: `DownloadError` with code `invalidRequest` that names an invalid field.
    package func spec(to destination: Destination) throws(DownloadError) -> DownloadSpec {
        try spec.checkParts()
        return whole(to: destination)
    }

    /// The spec of a reported request.
    package var reportedSpec: DownloadSpec {
        let folder = folder ?? ""
        if hashedName == true { return whole(to: .hashed(folder: folder)) }
        guard let name else { return whole(to: .folder(path: folder)) }
        return whole(to: .file(path: folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"))
    }

    private func whole(to destination: Destination) -> DownloadSpec {
        var spec = spec
        spec.placement.destination = destination
        spec.access.password = password.map { .text($0) }
        spec.access.bearerToken = bearerToken.map { .text($0) }
        return spec
    }
}

extension DownloadRequest: Codable, KnownFields {
    private enum Own: String, CodingKey, CaseIterable { case url, folder, name, hashedName, password, bearerToken }

    /// The valid fields.
    package static let knownFields = Set(Own.allCases.map(\.rawValue) + DownloadSpec.partFields)

    /// Decodes a request.
    package init(from decoder: any Decoder) throws {
        self.init(url: "")
        try spec.decodeParts(from: decoder)
        let own = try decoder.container(keyedBy: Own.self)
        folder = try own.decodeIfPresent(String.self, forKey: .folder)
        name = try own.decodeIfPresent(String.self, forKey: .name)
        hashedName = try own.decodeIfPresent(Bool.self, forKey: .hashedName)
        password = try own.decodeIfPresent(String.self, forKey: .password)
        bearerToken = try own.decodeIfPresent(String.self, forKey: .bearerToken)
    }

    /// Encodes the fields that differ from the defaults.
    package func encode(to encoder: any Encoder) throws {
        try spec.encodeParts(to: encoder)
        var own = encoder.container(keyedBy: Own.self)
        try own.encodeIfPresent(folder, forKey: .folder)
        try own.encodeIfPresent(name, forKey: .name)
        try own.encodeIfPresent(hashedName, forKey: .hashedName)
        try own.encodeIfPresent(password, forKey: .password)
        try own.encodeIfPresent(bearerToken, forKey: .bearerToken)
    }
}

extension SourceRequest {
    /// Checks that all headers can be sent.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the invalid header.
    package func check() throws(DownloadError) {
        var access = DownloadSpec.Access()
        access.headers = headers ?? []
        try access.check()
    }
}

/// The description of one download.
///
/// It consists of parts, one for each aspect. Every property of a part can be used as if it were the spec's own:
/// `spec.retries` is `spec.transfer.retries`.
///
/// Encoded, it is one flat object that contains only what differs from the defaults; durations are seconds. Of a
/// password or token that is not in a file, it contains only that there is one.
@dynamicMemberLookup
public struct DownloadSpec: Sendable, Hashable {
    /// The source of the file.
    public var source: Source
    /// The place of the file.
    public var placement: Placement
    /// The verification of the file.
    public var verification = Verification()
    /// The credentials, headers and security of requests.
    public var access = Access()
    /// The connections, attempts and limits.
    public var transfer = Transfer()
    /// The place in the list.
    public var queueing = Queueing()
    /// What only the program that runs the download may set.
    public var local = Local()
    /// What only the interfaces of other programs set.
    package var tuning = DownloadTuning()

    /// Creates a spec with the documented defaults.
    public init(url: String, destination: Destination) {
        source = Source(url: url)
        placement = Placement(destination: destination)
    }

    /// Accesses a property of `source`.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Source, Value>) -> Value {
        get { source[keyPath: path] }
        set { source[keyPath: path] = newValue }
    }

    /// Accesses a property of `placement`.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Placement, Value>) -> Value {
        get { placement[keyPath: path] }
        set { placement[keyPath: path] = newValue }
    }

    /// Accesses a property of `verification`.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Verification, Value>) -> Value {
        get { verification[keyPath: path] }
        set { verification[keyPath: path] = newValue }
    }

    /// Accesses a property of `access`.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Access, Value>) -> Value {
        get { access[keyPath: path] }
        set { access[keyPath: path] = newValue }
    }

    /// Accesses a property of `transfer`.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Transfer, Value>) -> Value {
        get { transfer[keyPath: path] }
        set { transfer[keyPath: path] = newValue }
    }

    /// Accesses a property of `queueing`.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Queueing, Value>) -> Value {
        get { queueing[keyPath: path] }
        set { queueing[keyPath: path] = newValue }
    }

    /// Accesses a property of `local`.
    @inlinable
    public subscript<Value>(dynamicMember path: WritableKeyPath<Local, Value>) -> Value {
        get { local[keyPath: path] }
        set { local[keyPath: path] = newValue }
    }
}

extension DownloadSpec: Codable {
    private enum Own: String, CodingKey { case destination, passwordPath, tokenPath, tuning }

    /// Decodes a spec; what is missing has its default.
    public init(from decoder: any Decoder) throws {
        let own = try decoder.container(keyedBy: Own.self)
        self.init(url: "", destination: try own.decode(Destination.self, forKey: .destination))
        try decodeParts(from: decoder)
        local = try Local(from: decoder)
        access.password = try own.decodeIfPresent(String.self, forKey: .passwordPath).map { .stored($0) }
        access.bearerToken = try own.decodeIfPresent(String.self, forKey: .tokenPath).map { .stored($0) }
        tuning = try own.decodeIfPresent(DownloadTuning.self, forKey: .tuning) ?? tuning
    }

    /// Encodes everything that differs from the defaults.
    public func encode(to encoder: any Encoder) throws {
        try encodeParts(to: encoder)
        try local.encode(to: encoder)
        var own = encoder.container(keyedBy: Own.self)
        try own.encode(placement.destination, forKey: .destination)
        try own.encodeIfPresent(access.password?.storedPath, forKey: .passwordPath)
        try own.encodeIfPresent(access.bearerToken?.storedPath, forKey: .tokenPath)
        if tuning != DownloadTuning() { try own.encode(tuning, forKey: .tuning) }
    }

    /// Decodes the parts that a request may contain: all except the destination, secrets and `local`.
    package mutating func decodeParts(from decoder: any Decoder) throws {
        source = try Source(from: decoder)
        try placement.decodeFields(from: decoder)
        verification = try Verification(from: decoder)
        access = try Access(from: decoder)
        transfer = try Transfer(from: decoder)
        queueing = try Queueing(from: decoder)
    }

    /// Encodes the parts that a request may contain.
    package func encodeParts(to encoder: any Encoder) throws {
        try source.encode(to: encoder)
        try placement.encodeFields(to: encoder)
        try verification.encode(to: encoder)
        try access.encode(to: encoder)
        try transfer.encode(to: encoder)
        try queueing.encode(to: encoder)
    }

    /// The names of the fields of these parts.
    package static let partFields: [String] =
        Source.fields.map(\.name) + Placement.fields.map(\.name) + Verification.fields.map(\.name)
        + Access.fields.map(\.name) + Transfer.fields.map(\.name) + Queueing.fields.map(\.name)

    /// Checks that all values of these parts are valid.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the first invalid field.
    package func checkParts() throws(DownloadError) {
        try source.check()
        try placement.check()
        try verification.check()
        try access.check()
        try transfer.check()
        try queueing.check()
    }
}

extension Secret {
    /// The part of a secret that may be written: its path, or nothing.
    fileprivate var storedPath: String { path ?? "" }

    /// Returns the secret for a stored path.
    fileprivate static func stored(_ path: String) -> Secret { path.isEmpty ? .missing : .file(path: path) }
}

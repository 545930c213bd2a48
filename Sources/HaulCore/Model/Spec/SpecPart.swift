/// A part of `DownloadSpec`: a group of properties with defaults, which is encoded as its fields that differ from them.
package protocol SpecPart: Hashable, Sendable {
    /// The properties as fields of JSON.
    static var fields: [PartField<Self>] { get }
    /// The part with the defaults.
    static var standard: Self { get }
}

extension SpecPart {
    /// Encodes the fields that differ from the defaults, beside what the encoder's object contains already.
    package func encodeFields(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: FieldName.self)
        for field in Self.fields { try field.encode(self, &values) }
    }

    /// Decodes the fields that are present; the others remain unchanged.
    package mutating func decodeFields(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: FieldName.self)
        for field in Self.fields { try field.decode(&self, values) }
    }

    /// Creates a part from the fields of an object.
    package static func decoded(from decoder: any Decoder) throws -> Self {
        var part = standard
        try part.decodeFields(from: decoder)
        return part
    }

    /// Checks that all values are valid.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the first invalid field.
    package func check() throws(DownloadError) {
        for field in Self.fields { try field.check(self) }
    }
}

/// The name of a field.
package struct FieldName: CodingKey {
    /// The name.
    package let stringValue: String
    /// Nil: no field has a number.
    package var intValue: Int? { nil }

    /// Creates a name.
    package init(stringValue: String) { self.stringValue = stringValue }
    /// There is no field with a number.
    package init?(intValue: Int) { nil }
}

/// A property of a part as a field of JSON: its name, its form, and the check of values from requests.
package struct PartField<Part: SpecPart>: Sendable {
    /// The check of a value; it throws a message that follows the name of the field.
    package typealias Check<Value> = @Sendable (Value) throws(DownloadError) -> Void

    /// The name.
    package let name: String
    let encode: @Sendable (Part, inout KeyedEncodingContainer<FieldName>) throws -> Void
    let decode: @Sendable (inout Part, KeyedDecodingContainer<FieldName>) throws -> Void
    let check: @Sendable (Part) throws(DownloadError) -> Void
    /// Returns true if the property is a text that is set.
    let hasText: @Sendable (Part) -> Bool

    /// Creates a field that is written in another form than that of its type.
    init<Value: Equatable & SendableMetatype, Wire: Codable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Part, Value> & Sendable,
        write: @escaping @Sendable (Value) -> Wire?,
        read: @escaping @Sendable (Wire) throws -> Value, check: @escaping Check<Value> = { _ in }
    ) {
        self.name = name
        let key = FieldName(stringValue: name)
        encode = { part, values in
            let value = part[keyPath: path]
            guard value != Part.standard[keyPath: path] else { return }
            try values.encodeIfPresent(write(value), forKey: key)
        }
        decode = { part, values in
            guard let wire = try values.decodeIfPresent(Wire.self, forKey: key) else { return }
            part[keyPath: path] = try read(wire)
        }
        self.check = { part throws(DownloadError) in try check(part[keyPath: path]) }
        hasText = { part in part[keyPath: path] as? String != nil }
    }

    /// Creates a field in the form of its type.
    init<Value: Codable & Equatable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Part, Value> & Sendable, check: @escaping Check<Value> = { _ in }
    ) {
        self.init(name, path, write: { $0 }, read: { $0 }, check: check)
    }

    /// Creates a field in the form of its type that may have no value.
    init<Value: Codable & Equatable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Part, Value?> & Sendable, check: @escaping Check<Value?> = { _ in }
    ) {
        self.init(name, path, write: { $0 }, read: { (wire: Value) in wire }, check: check)
    }

    /// Creates a number with a range.
    init<Value: Codable & Comparable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Part, Value> & Sendable, in range: ClosedRange<Value>
    ) {
        self.init(name, path) { value throws(DownloadError) in try Self.check(value, range, name) }
    }

    /// Creates a number with a range that may have no value.
    init<Value: Codable & Comparable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Part, Value?> & Sendable, in range: ClosedRange<Value>
    ) {
        self.init(name, path) { value throws(DownloadError) in
            if let value { try Self.check(value, range, name) }
        }
    }

    /// Creates a duration, written in seconds: more than zero, and at most a day.
    init(_ name: String, seconds path: any WritableKeyPath<Part, Duration> & Sendable) {
        self.init(
            name, path, write: { $0.seconds }, read: { Self.duration($0) },
            check: { value throws(DownloadError) in try Self.check(value.seconds, Self.day, name) })
    }

    /// Creates a duration that may have no value.
    init(_ name: String, seconds path: any WritableKeyPath<Part, Duration?> & Sendable) {
        self.init(
            name, path, write: { $0?.seconds }, read: { Self.duration($0) },
            check: { value throws(DownloadError) in
                if let value { try Self.check(value.seconds, Self.day, name) }
            })
    }

    private static var day: ClosedRange<Double> { 0.001...86_400 }

    private static func duration(_ seconds: Double) -> Duration {
        .milliseconds(Int64((min(max(seconds, 0), 1e9) * 1000).rounded()))
    }

    private static func check<Value: Comparable>(
        _ value: Value, _ range: ClosedRange<Value>, _ name: String
    ) throws(DownloadError) {
        guard range.contains(value) else {
            throw DownloadError(
                .invalidRequest, "\(name) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
    }
}

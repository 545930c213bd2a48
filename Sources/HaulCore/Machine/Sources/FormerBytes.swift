/// Data of a file that a new start would replace.
struct FormerBytes: Hashable, Sendable {
    /// The version of the bytes.
    var version: KnownVersion
    /// The number of bytes, more than 0 unless they are overruled.
    var count: Int64
}

extension FormerBytes {
    /// Bytes that say nothing about the size and version of what follows.
    static let overruled = Self(version: KnownVersion(total: nil, validators: Validators()), count: 0)

    /// Makes the bytes of a partial file; nil if it has none.
    init?(_ version: KnownVersion, _ pieces: [Located.Piece]) {
        self.init(version: version, count: pieces.reduce(0) { $0 + $1.position - $1.start })
        guard count > 0 else { return nil }
    }
}

/// Data of a file that a new start would replace.
struct FormerBytes: Hashable, Sendable {
    /// The version of the bytes.
    var version: KnownVersion
    /// The number of bytes, more than 0.
    var count: Int64
}

extension FormerBytes {
    /// Makes the bytes of a partial file; nil if it has none.
    init?(_ version: KnownVersion, _ pieces: [Located.Piece]) {
        self.init(version: version, count: pieces.reduce(0) { $0 + $1.position - $1.start })
        guard count > 0 else { return nil }
    }
}

extension KnownVersion {
    /// Returns the size of the file in a response: the announced one, or that of this version if the response is of the same one.
    ///
    /// Without it, a response that is cut by the end of its connection would look complete.
    func total(of facts: ResponseFacts) -> Int64? {
        if let total = facts.total { return total }
        return validators.areComparable(with: facts.validators)
            && validators.agreement(with: facts.validators) != .different ? total : nil
    }
}

/// The key of a row: the name of its members up to the first dot, as WebDataset groups them.
package enum MemberKey {
    /// The maximum length of a key in bytes, so that a file name with an ending is valid everywhere.
    static let maxBytes = 120

    /// Returns the key of a row, from its name, its id or its number.
    ///
    /// Letters, digits, `-` and `_` are kept, and all else becomes `_`. A key that differs from its name has a part of the
    /// fingerprint, so that two names never become one.
    package static func key(of row: ManifestRow) -> String {
        switch (row.name, row.identity) {
        case (let name?, let identity): return key(name, identity)
        case (nil, .id(let id)): return key(id, row.identity)
        case (nil, .number(let number, _)): return PartName.padded(Int(number), 9)
        }
    }

    private static func key(_ name: String, _ identity: RowIdentity) -> String {
        var key: [UInt8] = []
        key.reserveCapacity(name.utf8.count)
        var isExact = true
        for byte in name.utf8 {
            let isPlain = byte.isLetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            key.append(isPlain ? byte : UInt8(ascii: "_"))
            isExact = isExact && isPlain
        }
        // WebDataset leaves out members whose names begin with two underscores; an option must not look like a key.
        if let first = key.first, !first.isLetterOrDigit {
            key[0] = UInt8(ascii: "x")
            isExact = false
        }
        guard !isExact || key.isEmpty || key.count > maxBytes else { return String(decoding: key, as: UTF8.self) }
        let digits = String(UInt32(truncatingIfNeeded: identity.fingerprint), radix: 16)
        return String(decoding: key.prefix(maxBytes), as: UTF8.self) + (key.isEmpty ? "x-" : "-") + digits
    }
}

extension UInt8 {
    /// True for ASCII letters and digits.
    var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

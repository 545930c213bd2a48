package import HaulCore

/// aria2's identity of a download: 64 bits, never 0, written as 16 hexadecimal digits.
///
/// A download that was added over aria2's interface has it in its key (`aria2:` and the digits), so that it is the same after a restart,
/// and found over the catalogue's index. One that was added otherwise has the one that its number gives, in both directions.
package struct GID: RawRepresentable, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt64

    /// Makes an identity; nil for 0.
    package init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Reads exactly 16 hexadecimal digits of either case.
    package init?(_ text: String) {
        guard text.utf8.count == 16, Self.isHex(text), let bits = UInt64(text, radix: 16) else { return nil }
        self.init(rawValue: bits)
    }

    /// The identity of a download.
    package init(of snapshot: DownloadSnapshot) {
        self = Self(key: snapshot.key) ?? Self(snapshot.id)
    }

    /// The identity in the key of a download; nil where the key is another's.
    package init?(key: String) {
        guard key.hasPrefix(Self.prefix) else { return nil }
        self.init(String(key.dropFirst(Self.prefix.count)))
    }

    /// The identity of a download that has none of its own.
    package init(_ id: DownloadID) {
        // Safe in `??`: only the number 0, which no download has, is mixed into 0.
        self = Self(rawValue: Self.mixed(UInt64(bitPattern: id.rawValue))) ?? Self.random()
    }

    /// One by chance.
    package static func random() -> GID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// One by chance.
    package static func random(using generator: inout some RandomNumberGenerator) -> GID {
        while true {
            if let gid = GID(rawValue: generator.next()) { return gid }
        }
    }

    /// The key of a download with this identity.
    package var key: String { Self.prefix + description }

    /// The number of the download that has this identity, unless it has another one of its own.
    package var id: DownloadID { DownloadID(rawValue: Int64(bitPattern: Self.unmixed(rawValue))) }

    /// The digits that the console shows.
    package var short: String { String(description.prefix(6)) }

    /// Whether a text is 1 to 16 hexadecimal digits.
    package static func isPrefix(_ text: String) -> Bool { (1...16).contains(text.utf8.count) && isHex(text) }

    private static let prefix = "aria2:"

    private static func isHex(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        }
    }
}

extension GID: CustomStringConvertible {
    /// The 16 digits.
    package var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension GID {
    /// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): a bijection that spreads near numbers far apart.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var bits = number
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    private static func unmixed(_ number: UInt64) -> UInt64 {
        var bits = unshifted(number, 31) &* inverse(0x94D0_49BB_1331_11EB)
        bits = unshifted(bits, 27) &* inverse(0xBF58_476D_1CE4_E5B9)
        return unshifted(bits, 30)
    }

    /// The number that `x ^ x >> shift` came of: each round restores as many bits again.
    private static func unshifted(_ number: UInt64, _ shift: UInt64) -> UInt64 {
        var bits = number
        for _ in 0..<(64 / Int(shift) + 1) { bits = number ^ bits >> shift }
        return bits
    }

    /// The inverse modulo 2^64 of an odd number: each of Newton's steps doubles the bits that are right, beginning with 3.
    private static func inverse(_ number: UInt64) -> UInt64 {
        var result = number
        for _ in 0..<5 { result = result &* (2 &- number &* result) }
        return result
    }
}

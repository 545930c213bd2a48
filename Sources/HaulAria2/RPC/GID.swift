package import HaulCore

/// aria2's id of a download: 64 bits, never 0, written as 16 hexadecimal digits.
///
/// A download that was added over aria2's interface has its GID in its key (`aria2:` and the digits), so that it is the
/// same after a restart, and found through the catalogue's index. The GID of any other download is derived from its
/// number, and vice versa.
package struct GID: RawRepresentable, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt64

    /// Creates a GID; nil for 0.
    package init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Parses exactly 16 hexadecimal digits of either case.
    package init?(_ text: String) {
        guard text.utf8.count == 16, Self.isHex(text), let bits = UInt64(text, radix: 16) else { return nil }
        self.init(rawValue: bits)
    }

    /// Creates the GID of a download.
    package init(of snapshot: DownloadSnapshot) {
        self = Self(key: snapshot.key) ?? Self(snapshot.id)
    }

    /// Creates the GID in the key of a download; nil if the key has another form.
    package init?(key: String) {
        guard key.hasPrefix(Self.prefix) else { return nil }
        self.init(String(key.dropFirst(Self.prefix.count)))
    }

    /// Creates the GID of a download that has none in its key.
    package init(_ id: DownloadID) {
        // Only the number 0 is mapped to 0, and no download has it.
        self = Self(rawValue: Self.mixed(UInt64(bitPattern: id.rawValue))) ?? Self.random()
    }

    /// Returns a random GID.
    package static func random() -> GID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Returns a random GID.
    package static func random(using generator: inout some RandomNumberGenerator) -> GID {
        while true {
            if let gid = GID(rawValue: generator.next()) { return gid }
        }
    }

    /// The key of a download with this GID.
    package var key: String { Self.prefix + description }

    /// The number of the download with this GID, unless that has another GID in its key.
    package var id: DownloadID { DownloadID(rawValue: Int64(bitPattern: Self.unmixed(rawValue))) }

    /// The digits that the console shows.
    package var short: String { String(description.prefix(6)) }

    /// Returns true if a text consists of 1 to 16 hexadecimal digits.
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
    /// Mixes the bits of a number (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): a
    /// bijection that maps close numbers to distant ones.
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

    /// Inverts `x ^ x >> shift`: each iteration restores `shift` more bits.
    private static func unshifted(_ number: UInt64, _ shift: UInt64) -> UInt64 {
        var bits = number
        for _ in 0..<(64 / Int(shift) + 1) { bits = number ^ bits >> shift }
        return bits
    }

    /// Returns the inverse of an odd number modulo 2^64: each of Newton's steps doubles the number of correct bits,
    /// beginning with 3.
    private static func inverse(_ number: UInt64) -> UInt64 {
        var result = number
        for _ in 0..<5 { result = result &* (2 &- number &* result) }
        return result
    }
}

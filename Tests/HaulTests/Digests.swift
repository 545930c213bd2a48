import HaulCore
import HaulFiles

/// Digests of bytes in memory.
enum Digests {
    static func sha256(_ bytes: [UInt8]) throws -> Checksum {
        var digest = StreamingDigest(.sha256)
        // The buffer is valid for the whole closure.
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return try Checksum(.sha256, hex: digest.finalize())
    }
}

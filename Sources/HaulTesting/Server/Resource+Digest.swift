public import HaulCore
import HaulDigest
import HaulFiles

/// Correct and wrong checksums.
extension Resource {
    /// Returns the digest of all correct bytes.
    public func checksum(_ algorithm: Checksum.Algorithm) throws -> Checksum {
        var digest = StreamingDigest(algorithm)
        // The buffer is valid for the whole closure.
        unsafe allBytes.withUnsafeBytes { unsafe digest.update($0) }
        return try Checksum(algorithm, hex: digest.finalize())
    }

    /// Adds the digest in `Repr-Digest` (RFC 9530); a wrong one differs in one bit.
    public func reprDigest(_ algorithm: Checksum.Algorithm, wrong: Bool = false) throws -> Resource {
        header("Repr-Digest", "\(algorithm == .sha1 ? "sha" : algorithm.label)=:\(try base64(algorithm, wrong)):")
    }

    /// Adds the digest in `Digest` (RFC 3230); a wrong one differs in one bit.
    public func oldDigest(_ algorithm: Checksum.Algorithm, wrong: Bool = false) throws -> Resource {
        let name = algorithm == .sha1 ? "SHA" : algorithm.label.uppercased()
        return header("Digest", "\(name)=\(try base64(algorithm, wrong))")
    }

    /// Adds the MD5 of the whole content in `Content-MD5` (RFC 2616, 14.15), even to partial responses.
    public func contentMD5(wrong: Bool = false) throws -> Resource {
        header("Content-MD5", try base64(.md5, wrong))
    }

    private func base64(_ algorithm: Checksum.Algorithm, _ wrong: Bool) throws -> String {
        let digits = Array(try checksum(algorithm).hex.utf8).map { $0 < 0x3A ? $0 & 15 : ($0 & 15) + 9 }
        var bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        if wrong { bytes[0] ^= 1 }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0) }
            for place in 0..<4 {
                text.append(place > group.count ? UInt8(ascii: "=") : alphabet[word >> (18 - 6 * place) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

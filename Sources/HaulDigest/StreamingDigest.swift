import CHaulDigest
package import HaulCore

/// A digest that is computed incrementally.
package struct StreamingDigest: Sendable {
    private var state: haul_digest

    /// Starts with no bytes.
    package init(_ algorithm: Checksum.Algorithm) {
        let kind =
            switch algorithm {
            case .md5: HAUL_DIGEST_MD5
            case .sha1: HAUL_DIGEST_SHA1
            case .sha256: HAUL_DIGEST_SHA256
            case .sha512: HAUL_DIGEST_SHA512
            }
        state = haul_digest_begin(kind)
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        unsafe haul_digest_update(&state, bytes.baseAddress, bytes.count)
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: RawSpan) {
        // Safe: the pointer is used only during the call.
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Adds the bytes of a text in UTF-8.
    package mutating func update(_ text: String) {
        var text = text
        // Safe: the pointer is used only during the call.
        text.withUTF8 { unsafe update(UnsafeRawBufferPointer($0)) }
    }

    /// The digest of the bytes so far.
    ///
    /// More bytes may be added afterwards.
    package var bytes: [UInt8] {
        // Safe: the function writes at most 64 bytes, and returns their number.
        unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = unsafe haul_digest_end(state, buffer.baseAddress)
        }
    }

    /// Returns the digest of the bytes so far, in lower-case hexadecimal.
    ///
    /// More bytes may be added afterwards.
    package func finalize() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the SHA-256 of a text, in lower-case hexadecimal.
    package static func sha256(of text: String) -> String {
        var digest = StreamingDigest(.sha256)
        digest.update(text)
        return digest.finalize()
    }
}

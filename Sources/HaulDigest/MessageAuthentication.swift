import CHaulDigest

/// Codes that prove that a message comes from a sender that has the key.
package enum MessageAuthentication {
    /// Returns the HMAC-SHA256 of a message: 32 bytes (RFC 2104).
    package static func hmacSHA256(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        // Safe: the function reads both arrays during the call, and writes exactly 32 bytes.
        unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            unsafe haul_hmac_sha256(key, key.count, message, message.count, buffer.baseAddress)
            count = 32
        }
    }
}

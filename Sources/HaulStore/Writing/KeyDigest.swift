import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The digest of a key in the database: the first half of its SHA-256.
enum KeyDigest {
    /// Returns the sixteen bytes for a key.
    static func bytes(of key: String) -> [UInt8] {
        var key = key
        return key.withUTF8 { text in
            var function = SHA256()
            // Safe: the bytes are read within the closure.
            unsafe function.update(bufferPointer: UnsafeRawBufferPointer(text))
            return Array(function.finalize().prefix(16))
        }
    }

    /// Returns the same bytes in GRDB's type.
    static func data(of key: String) -> Data { Data(bytes(of: key)) }
}

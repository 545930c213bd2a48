import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What stands for a key in the database: the first half of its SHA-256.
enum KeyDigest {
    /// The sixteen bytes of a key.
    static func bytes(of key: String) -> [UInt8] {
        var key = key
        return key.withUTF8 { text in
            var function = SHA256()
            // Safe: the bytes are read before the text is given back.
            unsafe function.update(bufferPointer: UnsafeRawBufferPointer(text))
            return Array(function.finalize().prefix(16))
        }
    }

    /// The same, as GRDB takes it.
    static func data(of key: String) -> Data { Data(bytes(of: key)) }
}

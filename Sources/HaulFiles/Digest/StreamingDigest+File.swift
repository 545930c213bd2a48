package import HaulCore
package import HaulDigest

extension StreamingDigest {
    /// The number of bytes read at a time: small enough to stay in a processor's cache between reading and hashing.
    static let stepBytes = 256 << 10

    /// Returns the digest of a file, or nil if cancelled.
    ///
    /// Blocks while the file is read.
    package static func file(
        _ path: String, _ algorithm: Checksum.Algorithm, system: SystemCalls = .live,
        isCancelled: () -> Bool = { false }
    ) throws(FileError) -> String? {
        let file = try system.open(path, .read)
        var digest = StreamingDigest(algorithm)
        var buffer = [UInt8](repeating: 0, count: stepBytes)
        var offset: Int64 = 0
        while !isCancelled() {
            var span = buffer.mutableSpan
            // Safe: the buffer belongs to the array for the duration of the call, and only bytes that were read are
            // hashed.
            let count = try unsafe span.withUnsafeMutableBytes { bytes throws(FileError) in
                let count = try unsafe system.read(file, into: bytes, at: offset)
                unsafe digest.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                return count
            }
            guard count > 0 else { return digest.finalize() }
            offset += Int64(count)
        }
        return nil
    }
}

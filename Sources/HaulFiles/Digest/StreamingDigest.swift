import Crypto
package import HaulCore

/// A digest that is computed incrementally.
package struct StreamingDigest: Sendable {
    private var state: State

    private enum State: Sendable {
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
        case sha512(SHA512)
    }

    /// The number of bytes read at a time: small enough to stay in a processor's cache between reading and hashing.
    static let stepBytes = 256 << 10

    /// Starts with no bytes.
    package init(_ algorithm: Checksum.Algorithm) {
        state =
            switch algorithm {
            case .md5: .md5(Insecure.MD5())
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            case .sha512: .sha512(SHA512())
            }
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .md5(var function):
            unsafe function.update(bufferPointer: bytes)
            state = .md5(function)
        case .sha1(var function):
            unsafe function.update(bufferPointer: bytes)
            state = .sha1(function)
        case .sha256(var function):
            unsafe function.update(bufferPointer: bytes)
            state = .sha256(function)
        case .sha512(var function):
            unsafe function.update(bufferPointer: bytes)
            state = .sha512(function)
        }
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: RawSpan) {
        // Safe: the pointer is used only during the call.
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Returns the digest of the bytes so far, in lower-case hexadecimal.
    ///
    /// More bytes may be added afterwards.
    package func finalize() -> String {
        switch state {
        case .md5(let function): Self.hex(function.finalize())
        case .sha1(let function): Self.hex(function.finalize())
        case .sha256(let function): Self.hex(function.finalize())
        case .sha512(let function): Self.hex(function.finalize())
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the SHA-256 of a text, in lower-case hexadecimal.
    package static func sha256(of text: String) -> String {
        var digest = StreamingDigest(.sha256)
        var text = text
        text.withUTF8 { bytes in unsafe digest.update(UnsafeRawBufferPointer(bytes)) }
        return digest.finalize()
    }

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

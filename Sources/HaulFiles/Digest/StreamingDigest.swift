import Crypto
package import HaulCore

/// A digest that is fed piece by piece.
package struct StreamingDigest: Sendable {
    private var state: State

    private enum State: Sendable {
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
        case sha512(SHA512)
    }

    /// So much of a file is read at once: what a processor keeps to itself between reading and hashing.
    static let stepBytes = 256 << 10

    /// Begins with no bytes.
    package init(_ algorithm: Checksum.Algorithm) {
        state =
            switch algorithm {
            case .md5: .md5(Insecure.MD5())
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            case .sha512: .sha512(SHA512())
            }
    }

    /// Takes the next bytes.
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

    /// Takes the next bytes.
    package mutating func update(_ bytes: RawSpan) {
        // Safe: the pointer is used for the length of the call only.
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// The digest of the bytes so far, in lower-case hexadecimal.
    ///
    /// More may follow.
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

    /// The SHA-256 of a text, in hexadecimal digits.
    package static func sha256(of text: String) -> String {
        var digest = StreamingDigest(.sha256)
        var text = text
        text.withUTF8 { bytes in unsafe digest.update(UnsafeRawBufferPointer(bytes)) }
        return digest.finalize()
    }

    /// The digest of a file.
    ///
    /// Blocks for as long as reading it takes.
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
            // Safe: the buffer is the array's own for the length of the call, and only what was read is hashed.
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

import CHaulZlib

/// Content codings as servers apply them.
package enum CodedBytes {
    /// Returns one gzip member (RFC 1952).
    package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        let sum = unsafe bytes.withUnsafeBufferPointer { unsafe crc32(0, $0.baseAddress, UInt32($0.count)) }
        return header + deflate(bytes) + little(UInt32(sum)) + little(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Returns the zlib format (RFC 1950).
    package static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(count))
        let code = unsafe compress2(&result, &count, bytes, UInt(bytes.count), 6)
        precondition(code == Z_OK)
        return Array(result.prefix(Int(count)))
    }

    /// Returns raw deflate (RFC 1951): the zlib format without its first two and last four bytes.
    package static func deflate(_ bytes: [UInt8]) -> [UInt8] { Array(zlib(bytes).dropFirst(2).dropLast(4)) }

    private static func little(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

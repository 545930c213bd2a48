import HaulDigest
import HaulFiles

extension PartialFile {
    /// Writes an array.
    func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
        // Safe: a UInt8 has no padding.
        try write(unsafe bytes.span.bytes, at: offset)
    }
}

extension SystemCalls {
    /// Writes an array.
    func write(_ file: OpenFile, _ bytes: [UInt8], at offset: Int64) throws(FileError) {
        // Safe: a UInt8 has no padding.
        try write(file, unsafe bytes.span.bytes, at: offset)
    }
}

extension StreamingDigest {
    /// Takes an array.
    mutating func update(_ bytes: [UInt8]) {
        // Safe: a UInt8 has no padding.
        update(unsafe bytes.span.bytes)
    }
}

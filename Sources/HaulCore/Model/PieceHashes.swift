/// Checksums of the pieces of a file, so that only corrupt pieces must be fetched again.
public struct PieceHashes: Hashable, Sendable, Codable {
    /// The length of each piece in bytes; the last one may be shorter.
    public let length: Int64
    /// The hash algorithm.
    public let algorithm: Checksum.Algorithm
    /// The digest of each piece in lowercase hexadecimal, in the order of the file.
    public let hashes: [String]

    /// Creates the checksums of a file's pieces.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the length is not positive, there is no digest, the
    ///   pieces exceed the maximum file size, or a digest is invalid for the algorithm.
    public init(length: Int64, algorithm: Checksum.Algorithm, hashes: [String]) throws(DownloadError) {
        let (_, overflows) = length.multipliedReportingOverflow(by: Int64(hashes.count))
        guard length > 0, !hashes.isEmpty, !overflows else {
            throw DownloadError(
                .invalidRequest,
                "\(hashes.count) pieces of \(length) bytes are not valid: give a positive length and a digest for each piece"
            )
        }
        self.length = length
        self.algorithm = algorithm
        var checked: [String] = []
        checked.reserveCapacity(hashes.count)
        for hash in hashes { checked.append(try Checksum(algorithm, hex: hash).hex) }
        self.hashes = checked
    }

    /// Returns true if a file of `total` bytes has this number of pieces.
    package func fits(total: Int64) -> Bool {
        total > length * Int64(hashes.count - 1) && total <= length * Int64(hashes.count)
    }

    /// Returns the byte range of a piece in a file of `total` bytes.
    package func range(of piece: Int, total: Int64) -> ByteRange {
        let (start, isBeyond) = length.multipliedReportingOverflow(by: Int64(piece))
        if isBeyond { return ByteRange(from: total, to: total) }
        let (end, overflows) = start.addingReportingOverflow(length)
        return ByteRange(from: min(start, total), to: overflows ? total : min(end, total))
    }
}

extension PieceHashes {
    private enum CodingKeys: String, CodingKey { case length, algorithm, hashes }

    /// Decodes checksums and validates them like the initializer.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            length: try values.decode(Int64.self, forKey: .length),
            algorithm: try values.decode(Checksum.Algorithm.self, forKey: .algorithm),
            hashes: try values.decode([String].self, forKey: .hashes))
    }
}

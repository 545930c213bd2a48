/// Digests of the pieces of a file, so that only pieces that are bad have to be fetched again.
public struct PieceHashes: Hashable, Sendable, Codable {
    /// How many bytes each piece has; the last one may have fewer.
    public let length: Int64
    /// The algorithm that made the digests.
    public let algorithm: Checksum.Algorithm
    /// The digest of each piece in lower-case hexadecimal, in the order of the file.
    public let hashes: [String]

    /// Makes the digests of a file's pieces.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the length is not positive, there is no digest, the pieces reach
    ///   beyond the largest file, or a digest is none of this algorithm.
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

    /// Whether a file of `total` bytes has as many pieces.
    package func fits(total: Int64) -> Bool {
        total > length * Int64(hashes.count - 1) && total <= length * Int64(hashes.count)
    }

    /// The bytes of a piece of a file of `total` bytes.
    package func range(of piece: Int, total: Int64) -> ByteRange {
        let (start, isBeyond) = length.multipliedReportingOverflow(by: Int64(piece))
        if isBeyond { return ByteRange(from: total, to: total) }
        let (end, overflows) = start.addingReportingOverflow(length)
        return ByteRange(from: min(start, total), to: overflows ? total : min(end, total))
    }
}

extension PieceHashes {
    private enum CodingKeys: String, CodingKey { case length, algorithm, hashes }

    /// Reads digests, and refuses those that no initialiser would make.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            length: try values.decode(Int64.self, forKey: .length),
            algorithm: try values.decode(Checksum.Algorithm.self, forKey: .algorithm),
            hashes: try values.decode([String].self, forKey: .hashes))
    }
}

import HaulCore

/// Properties of other programs' control files from any source.
enum ForeignChecks {
    /// Checks a control file of any bytes, read as aria2's and as axel's.
    static func control(_ bytes: [UInt8]) throws(FuzzFinding) {
        if let file = Aria2ControlFile(decoding: bytes) { try claim(file.pieces, file.total) }
        if let file = AxelStateFile(decoding: bytes) { try claim(file.pieces, file.total) }
        for account in [ForeignPartial.Account.aria2(bytes), .axel(bytes), .both, .prefix] {
            let found = ForeignPartial(path: "f", control: "f.st", account: account, size: 100_000, modified: 5)
            guard let pieces = try? found.adoptable(total: 1 << 20, modified: nil, isVouchedFor: false) else {
                continue
            }
            try claim(pieces, found.size)
        }
    }

    private static func claim(_ pieces: [ByteRange], _ total: Int64) throws(FuzzFinding) {
        var position: Int64 = -1
        for piece in pieces {
            try HaulFuzzing.claim(
                !piece.isEmpty && piece.lowerBound > position, "pieces are apart, in order: \(pieces)")
            position = piece.upperBound
        }
        try HaulFuzzing.claim(position <= total, "no piece lies behind the end: \(pieces) of \(total)")
    }
}

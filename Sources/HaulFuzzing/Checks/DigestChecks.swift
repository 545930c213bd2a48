import HTTPTypes
import HaulCore

/// Properties of digests sent by servers without a request.
enum DigestChecks {
    /// Checks a header, with its name on the first line: a digest has the length of its algorithm, and the strongest
    /// algorithm is used.
    static func header(_ name: String, _ value: String) throws(FuzzFinding) {
        guard let field = HTTPField.Name(name) else { return }
        for isWhole in [false, true] {
            guard let found = HeaderDigest(ResponseHeaders([field: value]), isWhole: isWhole) else { continue }
            try claim(
                found.checksum.hex.utf8.count == found.checksum.algorithm.byteCount * 2, "a digest is whole: \(found)")
            try claim(isWhole || found.field != "Content-MD5", "a part's digest is not the file's: \(found)")
            try claim(
                HeaderDigest(ResponseHeaders([field: value, .contentEncoding: "gzip"]), isWhole: isWhole) == nil,
                "encoded bytes have another")
        }
    }

    /// Checks a checksum file: an entry for a name can be found, or the name has conflicting entries.
    static func file(_ bytes: [UInt8]) throws(FuzzFinding) {
        let file = ChecksumFile(bytes)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).count
        try claim(file.entries.count + file.otherLines <= lines, "a line is one entry at most")
        for entry in file.entries {
            try claim(entry.name.map { !$0.isEmpty } ?? true, "a name is never empty: \(entry)")
            guard let name = entry.name, let found = file.checksum(of: name) else { continue }
            try claim(
                found.algorithm.strength >= entry.checksum.algorithm.strength, "the strongest one counts: \(found)")
            try claim(file.entries.contains { $0.checksum == found }, "a checksum is one of the list: \(found)")
        }
        for algorithm in Checksum.Algorithm.allCases {
            let own = ChecksumFile(bytes, algorithm: algorithm)
            try claim(
                own.entries == file.entries.filter { $0.checksum.algorithm == algorithm }, "lines of others are skipped"
            )
        }
    }
}

/// A checksum and its origin.
package struct FoundChecksum: Hashable, Sendable {
    /// The checksum.
    package var checksum: Checksum
    /// The origin.
    package var origin: ChecksumOrigin

    /// Makes a value.
    package init(_ checksum: Checksum, _ origin: ChecksumOrigin) {
        self.checksum = checksum
        self.origin = origin
    }

    /// The fate of bytes with the wrong digest, as a clause for people.
    package enum Outcome: String, CaseIterable, Sendable {
        /// The partial file was removed.
        case removed = "the downloaded bytes were removed"
        /// The partial file began as another program's, and was not removed.
        case adopted = "the partial file, which another program began, is kept: remove it if the checksum is right"
        /// A stream has handed them out.
        case streamed = "the output is corrupt"
    }

    /// Returns the error for a file with another digest.
    ///
    /// If the checksum was not given by the user, either side may be wrong: the message then contains both, and says
    /// how to download without it.
    package func mismatch(hex: String?, _ outcome: Outcome = .removed) -> DownloadError {
        let outcome = outcome.rawValue
        let expected = "\(checksum.algorithm.rawValue):\(checksum.hex)"
        let found = hex.map { "found \($0)" }
        switch origin {
        case .given:
            let message =
                "wrong checksum: expected \(expected); \(outcome): check the checksum, "
                + "or use another source"
            return DownloadError(.checksumMismatch, message, cause: found)
        case .header(let name, let host):
            let message =
                "wrong checksum: expected \(expected) (header \(name) from \(host)); \(outcome)"
            return DownloadError(.checksumMismatch, message, cause: found, detail: .headerChecksum)
        case .file(let location):
            let message =
                "wrong checksum: expected \(expected) (from \(location)); \(outcome)"
            return DownloadError(.checksumMismatch, message, cause: found, detail: .foundChecksum)
        }
    }
}

extension Checksum {
    /// Makes a checksum from the bytes of a digest; nil if their number does not match the algorithm.
    package init?(_ algorithm: Algorithm, bytes: some Collection<UInt8>) {
        guard bytes.count == algorithm.byteCount else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        try? self.init(algorithm, hex: String(decoding: text, as: UTF8.self))
    }
}

extension Checksum.Algorithm {
    /// The strength against collisions; higher is better.
    package var strength: Int {
        switch self {
        case .md5: 0
        case .sha1: 1
        case .sha256: 2
        case .sha512: 3
        }
    }

    /// Returns the algorithm whose digest has this number of hexadecimal digits.
    package init?(digits count: Int) {
        guard let algorithm = Self.allCases.first(where: { $0.byteCount * 2 == count }) else { return nil }
        self = algorithm
    }
}

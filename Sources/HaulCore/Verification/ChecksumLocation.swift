/// Where the checksum of a file may stand: beside it under its name and an ending, or in a list of its folder.
package struct ChecksumLocation: Hashable, Sendable {
    /// The name of the file of checksums.
    package var name: String
    /// The algorithm that the name tells; nil: the lines do.
    package var algorithm: Checksum.Algorithm?
    /// Whether it is that one file's own.
    package var isItsOwn: Bool

    /// The places to look at, those of the better algorithms first: what one group has makes the next one needless.
    ///
    /// - Parameter file: The name of the file, as it is written where the places are looked for.
    package static func groups(for file: String) -> [[ChecksumLocation]] {
        func own(_ ending: String, _ algorithm: Checksum.Algorithm) -> ChecksumLocation {
            ChecksumLocation(name: "\(file).\(ending)", algorithm: algorithm, isItsOwn: true)
        }
        func list(_ name: String, _ algorithm: Checksum.Algorithm? = nil) -> ChecksumLocation {
            ChecksumLocation(name: name, algorithm: algorithm, isItsOwn: false)
        }
        return [
            [own("sha512", .sha512), own("sha256", .sha256), list("SHA512SUMS", .sha512), list("SHA256SUMS", .sha256)],
            [list("CHECKSUMS"), own("sha1", .sha1), own("md5", .md5), list("SHA1SUMS", .sha1), list("MD5SUMS", .md5)],
        ]
    }

    /// The checksum of a file in what stands at this place.
    package func checksum(of file: String, in bytes: [UInt8]) -> Checksum? {
        ChecksumFile(bytes, algorithm: algorithm).checksum(of: file, isItsOwn: isItsOwn)
    }

    /// The most bytes that are read of a file of checksums that was not asked for by name.
    package static let limit = 1 << 20
}

extension SourceURL {
    /// What stands behind the last slash of the path as it is sent, encoded; empty where nothing does.
    package var lastEncodedComponent: String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    /// The URL of another file in the same folder, with the same query and credentials.
    ///
    /// - Parameter name: Its name as it is sent, encoded.
    package func sibling(_ name: String) -> SourceURL {
        moved(to: path.dropLast(lastEncodedComponent.count) + name)
    }
}

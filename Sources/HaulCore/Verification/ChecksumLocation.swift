/// A possible location of a file's checksum: beside it with a suffix, or in a list of its folder.
package struct ChecksumLocation: Hashable, Sendable {
    /// The name of the file of checksums.
    package var name: String
    /// The algorithm in the name; nil if the lines name it.
    package var algorithm: Checksum.Algorithm?
    /// True if the checksum file is for that one file only.
    package var isItsOwn: Bool

    /// Returns the locations to try, grouped, with the stronger algorithms first.
    ///
    /// If one group has a checksum, the next ones are not needed.
    ///
    /// - Parameter file: The name of the file, as written at the locations.
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

    /// Returns the checksum of a file from the content at this location.
    package func checksum(of file: String, in bytes: [UInt8]) -> Checksum? {
        ChecksumFile(bytes, algorithm: algorithm).checksum(of: file, isItsOwn: isItsOwn)
    }

    /// Returns true if a file of this name usually contains checksums.
    package static func isListName(_ name: String) -> Bool {
        groups(for: "").joined().contains { $0.isItsOwn ? name.hasSuffix($0.name) : name == $0.name }
    }

    /// The maximum number of bytes read of a checksum file that the user did not name.
    package static let limit = 1 << 20
}

extension SourceURL {
    /// The text after the last slash of the path, encoded as sent; may be empty.
    package var lastEncodedComponent: String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    /// Returns the URL of another file in the same folder, with the same query and credentials.
    ///
    /// - Parameter name: The name, encoded as sent.
    package func sibling(_ name: String) -> SourceURL {
        moved(to: path.dropLast(lastEncodedComponent.count) + name)
    }
}

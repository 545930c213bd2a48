/// The facts about a finished download.
public struct FinishFacts: Sendable, Hashable {
    /// The path of the file.
    public var path: String
    /// The size of the file in bytes.
    public var totalBytes: Int64
    /// The number of bytes received in this session.
    public var sessionBytes: Int64
    /// The duration of this session in seconds.
    public var seconds: Double
    /// The method of verification, or the reason why there was none.
    public var verification: Verification
    /// True if the file existed already and was left alone.
    public var kept: Bool
    /// The identity of the file; nil if it was kept, or if an older version wrote these facts.
    ///
    /// A removal uses it to distinguish the download's own file from one that has replaced it since.
    package var file: FileIdentity?
    /// The modification time of that file in nanoseconds since 1970, at the end of the download.
    package var fileModified: Int64?

    /// The verified checksum; nil if none was known.
    public var verified: Checksum? { verification.checksum }

    /// Creates the facts.
    public init(
        path: String, totalBytes: Int64, sessionBytes: Int64, seconds: Double, verification: Verification, kept: Bool
    ) {
        self.path = path
        self.totalBytes = totalBytes
        self.sessionBytes = sessionBytes
        self.seconds = seconds
        self.verification = verification
        self.kept = kept
    }

    /// Creates the facts of a file that was verified with the given checksum, or for which none was known.
    public init(path: String, totalBytes: Int64, sessionBytes: Int64, seconds: Double, verified: Checksum?, kept: Bool)
    {
        self.init(
            path: path, totalBytes: totalBytes, sessionBytes: sessionBytes, seconds: seconds,
            verification: Verification(given: verified), kept: kept)
    }
}

/// Written by hand because older versions stored only the verified checksum; it is still encoded for old readers.
extension FinishFacts: Codable {
    private enum CodingKeys: String, CodingKey {
        case path, totalBytes, sessionBytes, seconds, verified, verification, kept, file, fileModified
    }

    /// Decodes the facts, also those of older versions.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            path: try values.decode(String.self, forKey: .path),
            totalBytes: try values.decode(Int64.self, forKey: .totalBytes),
            sessionBytes: try values.decode(Int64.self, forKey: .sessionBytes),
            seconds: try values.decode(Double.self, forKey: .seconds),
            verification: try values.decodeIfPresent(Verification.self, forKey: .verification)
                ?? Verification(given: try values.decodeIfPresent(Checksum.self, forKey: .verified)),
            kept: try values.decode(Bool.self, forKey: .kept))
        file = try values.decodeIfPresent(FileIdentity.self, forKey: .file)
        fileModified = try values.decodeIfPresent(Int64.self, forKey: .fileModified)
    }

    /// Encodes the facts.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(path, forKey: .path)
        try values.encode(totalBytes, forKey: .totalBytes)
        try values.encode(sessionBytes, forKey: .sessionBytes)
        try values.encode(seconds, forKey: .seconds)
        try values.encodeIfPresent(verified, forKey: .verified)
        try values.encode(verification, forKey: .verification)
        try values.encode(kept, forKey: .kept)
        try values.encodeIfPresent(file, forKey: .file)
        try values.encodeIfPresent(fileModified, forKey: .fileModified)
    }
}

/// The identity of a file, independent of its name: device, inode number, and birth time of the inode (statx(2)).
///
/// A rename changes none of them. Inode numbers are reused, often at once, and a device may have another number after a
/// restart: only the birth time distinguishes a file from one that replaced it.
public struct FileIdentity: Hashable, Sendable, Codable {
    /// The device number.
    public var device: UInt64
    /// The inode number.
    public var inode: UInt64
    /// The birth time of the inode in nanoseconds since 1970; nil if the file system does not store it.
    public var born: Int64?

    /// Creates an identity.
    public init(device: UInt64, inode: UInt64, born: Int64? = nil) {
        self.device = device
        self.inode = inode
        self.born = born
    }
}

/// What is known when a download has finished.
public struct FinishFacts: Sendable, Hashable {
    /// Where the file stands.
    public var path: String
    /// Its size.
    public var totalBytes: Int64
    /// Bytes received in this session.
    public var sessionBytes: Int64
    /// How long this session took.
    public var seconds: Double
    /// By what the file was verified, or why it could not be.
    public var verification: Verification
    /// Whether the file stood there already and was left alone.
    public var kept: Bool
    /// Which file it is; nil where it was kept, or where older versions wrote these facts.
    ///
    /// By it a removal tells the download's own file from one that has taken its place since.
    package var file: FileIdentity?
    /// When the content of that file changed last, in nanoseconds since 1970, as it was when the download finished.
    package var fileModified: Int64?

    /// The checksum that was verified, or nil where none was known.
    public var verified: Checksum? { verification.checksum }

    /// Makes the facts.
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

    /// Makes the facts of a file that has the checksum that was given, or for which none was known.
    public init(path: String, totalBytes: Int64, sessionBytes: Int64, seconds: Double, verified: Checksum?, kept: Bool)
    {
        self.init(
            path: path, totalBytes: totalBytes, sessionBytes: sessionBytes, seconds: seconds,
            verification: Verification(given: verified), kept: kept)
    }
}

/// Written by hand because facts that an older version wrote say only which checksum was verified; it is still written beside the
/// rest, for whoever reads that.
extension FinishFacts: Codable {
    private enum CodingKeys: String, CodingKey {
        case path, totalBytes, sessionBytes, seconds, verified, verification, kept, file, fileModified
    }

    /// Reads the facts, those of older versions too.
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

    /// Writes the facts.
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

/// Which file it is, whatever its name: its device, the number of its inode there, and when that inode was born (statx(2)).
///
/// A rename keeps all three. Numbers of inodes are given again, often at once, and a device may have another number after a restart: only
/// the time of birth tells a file from one that took its place.
public struct FileIdentity: Hashable, Sendable, Codable {
    /// The number of the device.
    public var device: UInt64
    /// The number of the inode.
    public var inode: UInt64
    /// The time at which the inode was born, in nanoseconds since 1970; nil if the file system does not keep it.
    public var born: Int64?

    /// Makes an identity.
    public init(device: UInt64, inode: UInt64, born: Int64? = nil) {
        self.device = device
        self.inode = inode
        self.born = born
    }
}

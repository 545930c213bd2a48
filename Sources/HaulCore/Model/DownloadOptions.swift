/// How many connections may work on one download.
public enum ConnectionLimit: Hashable, Sendable {
    /// Begin with one and add while it pays, up to the limit.
    case automatic(limit: Int)
    /// This many, as far as the file is large enough and the server grants them.
    case fixed(Int)

    /// The limit of a download whose caller set none.
    public static let standard = ConnectionLimit.automatic(limit: 6)

    /// The most connections it allows.
    public var maximum: Int {
        switch self {
        case .automatic(let limit): max(1, limit)
        case .fixed(let count): max(1, count)
        }
    }
}

extension ConnectionLimit: Codable {
    private enum CodingKeys: String, CodingKey { case mode, limit }
    private enum Mode: String, Codable { case automatic, fixed }

    /// Decodes a limit: `{"mode": "automatic", "limit": 6}`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let count = try values.decode(Int.self, forKey: .limit)
        switch try values.decode(Mode.self, forKey: .mode) {
        case .automatic: self = .automatic(limit: count)
        case .fixed: self = .fixed(count)
        }
    }

    /// Encodes the limit.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        let (mode, count): (Mode, Int) =
            switch self {
            case .automatic(let limit): (.automatic, limit)
            case .fixed(let count): (.fixed, count)
            }
        try values.encode(mode, forKey: .mode)
        try values.encode(count, forKey: .limit)
    }

    /// Checks the number of a request.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not 1 to 256.
    package func check() throws(DownloadError) {
        let count =
            switch self {
            case .automatic(let limit): limit
            case .fixed(let count): count
            }
        guard (1...256).contains(count) else {
            throw DownloadError(.invalidRequest, "connections.limit must be from 1 to 256, not \(count)")
        }
    }
}

/// What becomes of a file that the server compresses on the way (RFC 9110, section 8.4).
///
/// Only `gzip` and `deflate` can be decoded. A file that is compressed itself, such as `x.tar.gz`, is saved as it is in any case.
public enum Compression: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is not asked for; if the server compresses all the same, the file is decoded while it is saved.
    case decode
    /// It is asked for, and the file is decoded while it is saved: one connection, and nothing to continue after an interruption.
    case request
    /// It is not asked for; if the server compresses all the same, the file is saved as it is sent.
    case keep
}

/// What happens when something stands at the destination already.
///
/// The policy is applied before the first byte is asked for, and again when the file is published.
public enum ConflictPolicy: String, Sendable, Codable, CaseIterable {
    /// Refuse; what stands there is not touched. The default.
    case fail
    /// Replace it, atomically, when the new file is complete and verified.
    case replace
    /// Take the next free name: `name (1).ext`, `name (2).ext`, …
    case rename
    /// Leave it where it is the same (by checksum if one is given, else by size and date); replace it otherwise.
    case keep
    /// Leave whatever file stands there, and ask the server nothing: under its final name a file of Haul's is always complete.
    ///
    /// With a checksum it is `keep`. Where the name comes from the server, it is known only after the first answer.
    case skip
}

/// Where a finished download goes.
public enum Destination: Hashable, Sendable, Codable {
    /// This very file.
    case file(path: String)
    /// A folder that exists; the name comes from the server, else from the URL, made safe.
    case folder(path: String)
    /// A folder that exists; the name is the SHA-256 of the canonical URL in hexadecimal, with the extension of its path.
    case hashed(folder: String)
}

/// The speed that a download has to reach on average.
public struct MinimumSpeed: Hashable, Sendable, Codable {
    /// Bytes per second, over all connections of the download.
    public var bytesPerSecond: Int64
    /// The time over which the average is taken, in seconds.
    public var seconds: Double

    /// Makes a minimum.
    public init(bytesPerSecond: Int64, seconds: Double) {
        (self.bytesPerSecond, self.seconds) = (bytesPerSecond, seconds)
    }

    /// The bytes that have to come in each such time.
    package var bytes: Double { Double(bytesPerSecond) * seconds }

    /// Whether both numbers make sense: a rate above 0 and a time of 1 s to a day.
    package var isValid: Bool { bytesPerSecond > 0 && (1...86_400).contains(seconds) }
}

/// Settings of one download that only other programs' interfaces have; what is nil is as usual.
package struct DownloadTuning: Hashable, Sendable, Codable {
    /// The wait before each further attempt, instead of one that grows.
    package var retryWait: Duration?
    /// How often a file that is not found is asked for again as long as nothing of it has come; usually never.
    package var notFoundRetries: Int?
    /// Whether a source that is slower than `DownloadSpec.minSpeed` fails at once instead of being tried again.
    package var failsWhenSlow: Bool?
    /// Whether the download fails if the server can't send the rest of the file, instead of starting over.
    package var neverStartsOver: Bool?
    /// The smallest part, in bytes, that a further connection takes over.
    package var smallestPart: Int64?
    /// The size from which on room for the whole file is set aside before its bytes come; usually any.
    package var allocatesFrom: Int64?
    /// Whether the finished file keeps the time at which it was written instead of the server's date.
    package var ignoresServerDate: Bool?

    /// Makes the usual settings.
    package init() {}
}

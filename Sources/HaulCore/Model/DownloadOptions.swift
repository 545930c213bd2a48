/// The number of connections that may work on one download.
///
/// In Swift, a number below 1 counts as 1. Clients of the daemon may send 1 to 256.
public enum ConnectionLimit: Hashable, Sendable {
    /// Begin with one and add while it pays, up to the limit.
    case automatic(limit: Int)
    /// Use this number, as far as the file is large enough and the server allows it.
    case fixed(Int)

    /// The default limit.
    public static let standard = ConnectionLimit.automatic(limit: 6)

    /// The maximum number of connections.
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
/// Only `gzip` and `deflate` can be decoded. A file that is itself compressed, such as `x.tar.gz`, is always saved
/// unchanged.
public enum Compression: String, Hashable, Sendable, Codable, CaseIterable {
    /// Do not request compression; if the server compresses anyway, decode the file while it is saved.
    case decode
    /// Request compression, and decode the file while it is saved; over one connection, and not resumable.
    case request
    /// Do not request compression; if the server compresses anyway, save the file as it is sent.
    case keep
}

/// The protection class of a file on Apple's systems: when its content can be read.
///
/// The classes are those of Foundation's `FileProtectionType`.
public enum FileProtection: String, Hashable, Sendable, Codable, CaseIterable {
    /// Always.
    case none
    /// Only while the device is unlocked.
    case complete
    /// While the device is unlocked; a file that is open then stays readable.
    case completeUnlessOpen
    /// From the first time that the device is unlocked after a restart.
    case completeUntilFirstUserAuthentication
}

/// The action if a file already exists at the destination.
///
/// The policy is applied before the first request, and again when the file is published.
public enum ConflictPolicy: String, Sendable, Codable, CaseIterable {
    /// Fail and leave the existing file unchanged. The default.
    case fail
    /// Replace it atomically when the new file is complete and verified.
    case replace
    /// Use the next free name: `name (1).ext`, `name (2).ext`, …
    case rename
    /// Keep it if it is the same (by checksum if one is given, otherwise by size and date); replace it otherwise.
    case keep
    /// Keep any existing file without a request: a file under its final name is always complete if Haul wrote it.
    ///
    /// With a checksum, it is the same as `keep`. If the name comes from the server, it is known only after the first
    /// response.
    case skip
}

/// The location of the finished file.
///
/// A relative path is resolved against the working folder: by a manager when the download is added, by an engine when
/// it runs.
public enum Destination: Hashable, Sendable, Codable {
    /// This path.
    case file(path: String)
    /// An existing directory; the name comes from the server, otherwise from the URL, and is sanitized.
    case folder(path: String)
    /// An existing directory; the name is the SHA-256 of the canonical URL in hexadecimal, with the extension of its
    /// path.
    case hashed(folder: String)
}

extension Destination {
    /// The path of the file, if the caller chose it.
    package var filePath: String? { if case .file(let path) = self { path } else { nil } }

    /// Checks that the system takes the whole path: it would ignore everything after a null character.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func check() throws(DownloadError) {
        switch self {
        case .file(let path), .folder(let path), .hashed(let path):
            guard !path.utf8.contains(0) else {
                throw DownloadError(.invalidRequest, "the path of the file contains a null character")
            }
        }
    }
}

/// The networks that a download may use.
public enum NetworkPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Any network.
    case any
    /// None that is expensive, such as a mobile one, or constrained by the user, such as in Low Data Mode.
    case unmetered
}

/// The minimum average speed of a download.
public struct MinimumSpeed: Hashable, Sendable, Codable {
    /// Bytes per second, over all connections of the download.
    public var bytesPerSecond: Int64
    /// The time over which the average is taken, in seconds.
    public var seconds: Double

    /// Creates a minimum.
    public init(bytesPerSecond: Int64, seconds: Double) {
        (self.bytesPerSecond, self.seconds) = (bytesPerSecond, seconds)
    }

    /// The number of bytes that must be received in each period.
    package var bytes: Double { Double(bytesPerSecond) * seconds }

    /// True if both values are valid: a rate above 0 and a time from 1 s to a day.
    package var isValid: Bool { bytesPerSecond > 0 && (1...86_400).contains(seconds) }
}

/// Settings of one download that only the interfaces of other programs have; nil stands for the default.
package struct DownloadTuning: Hashable, Sendable, Codable {
    /// The fixed wait before each further attempt, instead of exponential backoff.
    package var retryWait: Duration?
    /// The maximum number of retries after 404 Not Found while nothing was received; the default is 0.
    package var notFoundRetries: Int?
    /// True if a source slower than `DownloadSpec.minSpeed` fails at once, without a retry.
    package var failsWhenSlow: Bool?
    /// True if the download fails, instead of starting over, if the server cannot send the rest of the file.
    package var neverStartsOver: Bool?
    /// The minimum size, in bytes, of the range that a further connection takes over.
    package var smallestPart: Int64?
    /// The minimum size of a file, in bytes, for preallocation; the default is 0.
    package var allocatesFrom: Int64?
    /// True if the finished file keeps its write time instead of getting the server's date.
    package var ignoresServerDate: Bool?
    /// True if a file with a control file of aria2 or axel beside it is adopted, as `DownloadSpec.adoptsPartials` does for all partial files.
    package var adoptsControlled: Bool?

    /// Creates the default settings.
    package init() {}
}

package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The request for one download: `DownloadSpec` without options that read files of the daemon's machine; fields that
/// are nil have their default.
///
/// The same message reports the request of an existing download, without secrets.
package struct DownloadRequest: Hashable, Sendable, Codable, KnownFields {
    /// The `http` or `https` URL.
    package var url: String
    /// The destination folder, absolute or below the daemon's first root; nil means that root.
    package var folder: String?
    /// The name of the file; nil means the server's.
    package var name: String?
    /// True if the name is the SHA-256 of the URL instead.
    package var hashedName: Bool?
    /// The policy if the file exists already.
    package var onConflict: ConflictPolicy?
    /// The limit on connections.
    package var connections: ConnectionsMessage?
    /// The checksum that the file must have: `sha256:HEX`.
    package var checksum: String?
    /// See `DownloadSpec.findsChecksum`.
    package var findsChecksum: Bool?
    /// See `DownloadSpec.usesHeaderChecksum`.
    package var usesHeaderChecksum: Bool?
    /// See `DownloadSpec.verifiesExisting`.
    package var verifiesExisting: Bool?
    /// Other sources of the same file.
    package var mirrors: [DownloadSpec.Mirror]?
    /// See `DownloadSpec.usesLinkedMirrors`.
    package var usesLinkedMirrors: Bool?
    /// The digests of the file's pieces.
    package var pieces: PieceHashes?
    /// The size that the file must have, in bytes.
    package var expectedBytes: Int64?
    /// The headers of each request; values that may be secret are never reported.
    package var headers: [DownloadSpec.Header]?
    /// The user name.
    package var user: String?
    /// The password of `user`; never reported.
    package var password: String?
    /// The authentication scheme.
    package var authentication: AuthenticationScheme?
    /// A token for the URL's own origin; never reported.
    package var bearerToken: String?
    /// See `DownloadSpec.resumes`.
    package var resumes: Bool?
    /// See `DownloadSpec.adoptsPartials`.
    package var adoptsPartials: Bool?
    /// See `DownloadSpec.retries`.
    package var retries: Int?
    /// The longest wait for a connection, in seconds.
    package var connectTimeout: Double?
    /// The longest time without data, in seconds.
    package var idleTimeout: Double?
    /// See `DownloadSpec.maxWait`, in seconds.
    package var maxWait: Double?
    /// See `DownloadSpec.maxTime`, in seconds.
    package var maxTime: Double?
    /// See `DownloadSpec.minSpeed`.
    package var minSpeed: MinimumSpeed?
    /// True if any certificate is accepted.
    package var insecure: Bool?
    /// True if a redirect may lead from https to http.
    package var allowsDowngrade: Bool?
    /// See `DownloadSpec.failsOnHTML`.
    package var failsOnHTML: Bool?
    /// The range of the resource to download.
    package var range: RangeMessage?
    /// The limit in bytes per second for this download alone; 0 or nil for none.
    package var rateLimit: Int64?
    /// The treatment of a file that the server compresses for the transfer.
    package var compression: Compression?
    /// The caller's key for the download.
    package var key: String?
    /// The caller's label for related downloads.
    package var group: String?
    /// The caller's own labels.
    package var tags: [String]?
    /// The priority, -1000 to 1000; higher ones start first.
    package var priority: Int?
    /// The time before which it must not start.
    package var notBefore: Date?
    /// True if it starts at once, regardless of the limits.
    package var startsAtOnce: Bool?
    /// True if it is added paused.
    package var startsPaused: Bool?

    /// Creates a request with the defaults.
    package init(url: String) { self.url = url }

    /// The names of the fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case url, folder, name, hashedName, onConflict, connections, checksum, findsChecksum, usesHeaderChecksum
        case verifiesExisting, mirrors, usesLinkedMirrors, pieces, expectedBytes, headers, user, password
        case authentication, bearerToken, resumes, retries, connectTimeout, idleTimeout, insecure, allowsDowngrade
        case failsOnHTML
        case maxWait, maxTime, minSpeed, adoptsPartials
        case range, rateLimit, compression, key, group, tags, priority, notBefore, startsAtOnce, startsPaused
    }

    /// The valid fields.
    package typealias Field = CodingKeys
}

/// The limit on the connections of a download.
package struct ConnectionsMessage: Hashable, Sendable, Codable {
    /// The meaning of the limit.
    package var mode: Mode
    /// The maximum or exact number of connections: 1 to 256.
    package var limit: Int

    /// Creates the message.
    package init(_ limit: ConnectionLimit) {
        switch limit {
        case .automatic(let maximum): (mode, self.limit) = (.automatic, maximum)
        case .fixed(let count): (mode, self.limit) = (.fixed, count)
        }
    }

    /// The meaning of the limit.
    package enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
        /// Starts with one connection and adds more while that is useful.
        case automatic
        /// Uses exactly this number.
        case fixed
    }
}

/// A range of bytes that includes `start` and excludes `end`.
package struct RangeMessage: Hashable, Sendable, Codable {
    /// The offset of the first byte.
    package var start: Int64
    /// The offset after the last byte.
    package var end: Int64

    /// Creates the message.
    package init(_ range: ByteRange) { (start, end) = (range.lowerBound, range.upperBound) }
}

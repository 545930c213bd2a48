package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What is asked of one download: `DownloadSpec` without what reads files of the daemon's machine; what is nil has its default.
///
/// The same message says of a download what was asked for; secrets are missing then.
package struct DownloadRequest: Hashable, Sendable, Codable, KnownFields {
    /// Where it comes from: an `http` or `https` URL.
    package var url: String
    /// The folder that it goes to, absolute or below the daemon's first root; nil: that root.
    package var folder: String?
    /// The name of the file; nil: the server's.
    package var name: String?
    /// Whether the name is the SHA-256 of the URL, instead.
    package var hashedName: Bool?
    /// What happens when something stands there already.
    package var onConflict: ConflictPolicy?
    /// How many connections may work on it.
    package var connections: ConnectionsMessage?
    /// A digest that the file must have: `sha256:HEX`.
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
    /// Digests of the file's pieces.
    package var pieces: PieceHashes?
    /// The size that the file must have, in bytes.
    package var expectedBytes: Int64?
    /// Headers sent with each request; values that may be secret are never told again.
    package var headers: [DownloadSpec.Header]?
    /// Who asks.
    package var user: String?
    /// The password of `user`; never told again.
    package var password: String?
    /// How the server is told who asks.
    package var authentication: AuthenticationScheme?
    /// A token for the URL's own origin; never told again.
    package var bearerToken: String?
    /// See `DownloadSpec.resumes`.
    package var resumes: Bool?
    /// See `DownloadSpec.adoptsPartials`.
    package var adoptsPartials: Bool?
    /// See `DownloadSpec.retries`.
    package var retries: Int?
    /// The longest wait for a connection, in seconds.
    package var connectTimeout: Double?
    /// The longest time without a byte, in seconds.
    package var idleTimeout: Double?
    /// See `DownloadSpec.maxWait`, in seconds.
    package var maxWait: Double?
    /// See `DownloadSpec.maxTime`, in seconds.
    package var maxTime: Double?
    /// See `DownloadSpec.minSpeed`.
    package var minSpeed: MinimumSpeed?
    /// Whether any certificate is accepted.
    package var insecure: Bool?
    /// Whether a redirect may lead from https to http.
    package var allowsDowngrade: Bool?
    /// See `DownloadSpec.failsOnHTML`.
    package var failsOnHTML: Bool?
    /// The bytes of the resource that are fetched.
    package var range: RangeMessage?
    /// Bytes per second for this download alone; 0 or nil: no limit.
    package var rateLimit: Int64?
    /// What becomes of a file that the server compresses on the way.
    package var compression: Compression?
    /// The caller's identity for it.
    package var key: String?
    /// The caller's label for downloads that belong together.
    package var group: String?
    /// The caller's own labels.
    package var tags: [String]?
    /// -1000 to 1000; the higher one starts first.
    package var priority: Int?
    /// The time before which it must not start.
    package var notBefore: Date?
    /// Whether it starts at once, beyond the limits.
    package var startsAtOnce: Bool?
    /// Whether it is added paused.
    package var startsPaused: Bool?

    /// Makes a request with the defaults.
    package init(url: String) { self.url = url }

    /// The names of its fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case url, folder, name, hashedName, onConflict, connections, checksum, findsChecksum, usesHeaderChecksum
        case verifiesExisting, mirrors, usesLinkedMirrors, pieces, expectedBytes, headers, user, password
        case authentication, bearerToken, resumes, retries, connectTimeout, idleTimeout, insecure, allowsDowngrade
        case failsOnHTML
        case maxWait, maxTime, minSpeed, adoptsPartials
        case range, rateLimit, compression, key, group, tags, priority, notBefore, startsAtOnce, startsPaused
    }

    /// The fields that it may have.
    package typealias Field = CodingKeys
}

/// How many connections may work on a download.
package struct ConnectionsMessage: Hashable, Sendable, Codable {
    /// Whether as many as pay are used, or just so many.
    package var mode: Mode
    /// The most, or how many: 1 to 256.
    package var limit: Int

    /// Makes the message.
    package init(_ limit: ConnectionLimit) {
        switch limit {
        case .automatic(let maximum): (mode, self.limit) = (.automatic, maximum)
        case .fixed(let count): (mode, self.limit) = (.fixed, count)
        }
    }

    /// How the number is meant.
    package enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
        /// Begin with one and add while it pays.
        case automatic
        /// This many.
        case fixed
    }
}

/// A range of bytes: `start` is in it, `end` is not.
package struct RangeMessage: Hashable, Sendable, Codable {
    /// The offset of the first byte.
    package var start: Int64
    /// The offset behind the last byte.
    package var end: Int64

    /// Makes the message.
    package init(_ range: ByteRange) { (start, end) = (range.lowerBound, range.upperBound) }
}

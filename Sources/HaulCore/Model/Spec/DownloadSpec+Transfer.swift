extension DownloadSpec {
    /// The connections, attempts and limits of a download.
    public struct Transfer: Sendable, Hashable {
        /// The number of connections.
        public var connections = ConnectionLimit.standard
        /// The number of consecutive attempts without new data that may fail before the download fails, 0 to 10,000.
        public var retries = 5
        /// True if a host without an address, or that refuses connections, is tried again as after other failures, although
        /// it has not responded in this run.
        ///
        /// If not, it is tried once more. A manager tries again in either case, since the network may return.
        public var retriesUnreachable = false
        /// True if a request that is not idempotent, such as `POST`, may be repeated after a failure although the server
        /// may have carried it out (RFC 9110, section 9.2.2).
        ///
        /// If not, it is repeated only if no connection was made, or if the server returned 408, 425, 429 or 503.
        public var repeatsRequest = false
        /// The longest wait for a connection.
        public var connectTimeout = Duration.seconds(15)
        /// The longest time without data on a connection.
        public var idleTimeout = Duration.seconds(30)
        /// The longest wait that a server may ask for with `Retry-After`; if it asks for more, the download fails with
        /// `serverBusy`.
        ///
        /// Nil for any. A wait is never longer than a day before the server is asked again.
        public var maxWait: Duration?
        /// The longest duration of one run of the download, including waits between attempts; nil for any.
        ///
        /// It ends with `timedOut`, and the received data is kept.
        public var maxTime: Duration?
        /// The speed below which an attempt is aborted and counts as failed; nil for none.
        public var minSpeed: MinimumSpeed?
        /// The limit in bytes per second for this download alone; nil or 0 for none except the common one.
        ///
        /// A negative one is refused with `invalidRequest`.
        public var rateLimit: Int64?
        /// The networks that a manager may use for it.
        ///
        /// On others, the download waits with the reason `meteredNetwork`, also if the network changes while it runs. It
        /// has no effect if the system does not report the kind of its network: then the manager's `capabilities` do
        /// not contain `networkKinds`.
        public var networks = NetworkPolicy.any
        /// The treatment of a file that the server compresses for the transfer (`Content-Encoding`).
        public var compression = Compression.decode

        /// Creates the part with its defaults.
        public init() {}

        /// True if a failed attempt may be followed by another one.
        package var triesAgain: Bool { retries > 0 }

        /// Makes a failed attempt the last one.
        package mutating func attemptsOnce() { retries = 0 }

        /// Returns the longest silence allowed on a connection; it is shorter if another source is available.
        package func patience(hasAlternative: Bool = false) -> Duration {
            hasAlternative ? min(idleTimeout, .seconds(5)) : idleTimeout
        }

        /// The longest wait for a connection and the first data on it.
        package var responseTimeout: Duration { connectTimeout + idleTimeout }
        /// The longest time that an optional request beside the download, such as one for a checksum, may take.
        package var sideRequestTimeout: Duration { idleTimeout }
    }
}

extension DownloadSpec {
    /// The rules for repeating failed attempts, with the default waits.
    package var retryPolicy: RetryPolicy {
        var policy = RetryPolicy(limit: transfer.retries)
        policy.wait = tuning.retryWait
        if transfer.retriesUnreachable { policy.unreachableLimit = nil }
        return policy
    }

    /// True if a download that got nothing but 404 Not Found ended because of the limit for that status, and not of the
    /// limit for all failures.
    package var limitsNotFound: Bool { tuning.notFoundRetries ?? .max <= transfer.retries }
}

extension DownloadSpec.Transfer: SpecPart {
    package static let standard = Self()

    /// The maximum rate limit: a terabyte per second.
    package static let maxRate: Int64 = 1_000_000_000_000

    package static let fields: [PartField<Self>] = [
        .init("connections", \.connections) { limit throws(DownloadError) in try limit.check() },
        .init("retries", \.retries, in: 0...1_000_000), .init("retriesUnreachable", \.retriesUnreachable),
        .init("repeatsRequest", \.repeatsRequest),
        .init("connectTimeout", seconds: \.connectTimeout),
        .init("idleTimeout", seconds: \.idleTimeout), .init("maxWait", seconds: \.maxWait),
        .init("maxTime", seconds: \.maxTime),
        .init("minSpeed", \.minSpeed) { minimum throws(DownloadError) in
            guard minimum.map({ $0.isValid && $0.bytesPerSecond <= maxRate }) ?? true else {
                throw DownloadError(
                    .invalidRequest,
                    "minSpeed must have bytesPerSecond from 1 to \(maxRate) and seconds from 1 to 86400")
            }
        },
        // 0 means no limit, too.
        .init(
            "rateLimit", \.rateLimit, write: { $0 }, read: { (rate: Int64) in rate == 0 ? nil : rate },
            check: { limit throws(DownloadError) in
                guard limit.map({ (0...maxRate).contains($0) }) ?? true else {
                    throw DownloadError(
                        .invalidRequest, "rateLimit must be from 0 to \(maxRate), not \(limit ?? 0)")
                }
            }),
        .init("networks", \.networks), .init("compression", \.compression),
    ]
}

extension DownloadSpec.Transfer: Codable {
    /// Decodes the part; what is missing has its default.
    public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }
    /// Encodes what differs from the defaults.
    public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }
}

import HTTPTypes

/// What the machine has to know of a download's spec.
package struct MachineConfiguration: Hashable, Sendable {
    /// Where it comes from.
    package var url: SourceURL
    /// How many connections may work on it.
    package var connections: ConnectionLimit
    /// A digest that the file must have.
    package var checksum: Checksum?
    /// Where that digest comes from.
    package var checksumOrigin = ChecksumOrigin.given
    /// Whether the digest that the server's header tells counts, where no other is known.
    package var usesHeaderChecksum: Bool
    /// The other sources of the file.
    package var mirrors: [MirrorURL] = []
    /// Whether mirrors that a server names are used, too.
    package var usesLinkedMirrors = true
    /// Digests of the file's pieces.
    package var pieces: PieceHashes?
    /// The size that the file must have.
    package var expectedBytes: Int64?
    /// How often in a row a try may fail.
    package var retry: RetryPolicy
    /// The proxies that requests go through, to be named in errors.
    package var proxies = ProxySettings()
    /// The longest time without a byte on a connection.
    package var idleTimeout: Duration
    /// The longest wait that a server may ask for.
    package var maxWait: Duration?
    /// The longest time from begin to end.
    package var maxTime: Duration?
    /// The speed below which an attempt is broken off.
    package var minSpeed: MinimumSpeed?
    /// What only other programs' interfaces ask for.
    package var tuning: DownloadTuning
    /// Whether a partial is kept.
    package var resumes: Bool
    /// Whether certificates are not checked.
    package var insecure: Bool
    /// Whether a redirect may lead from https to http.
    package var allowsDowngrade: Bool
    /// Whether a web page under another file's name is an error.
    package var failsOnHTML: Bool
    /// The bytes of the resource that are the whole file; nil: all of them.
    package var window: ByteRange?
    /// How many bytes may be fetched ahead of a receiver that takes the file in order; nil: it is kept as a file.
    package var streamWindow: Int64?
    /// How often progress is told.
    package var progressInterval: Duration

    /// Reads a spec.
    ///
    /// - Parameter url: The spec's URL, where it was parsed already.
    /// - Throws: `DownloadError` with code `invalidRequest` where the URL is none, the range holds no byte, or a header can't be sent
    ///   or asks for a range of its own.
    package init(
        _ spec: borrowing DownloadSpec, url: SourceURL? = nil, progressInterval: Duration = .milliseconds(100)
    ) throws(DownloadError) {
        if let url { self.url = url } else { self.url = try SourceURL(parsing: spec.url) }
        connections = spec.connections
        checksum = spec.checksum
        usesHeaderChecksum = spec.usesHeaderChecksum
        usesLinkedMirrors = spec.usesLinkedMirrors
        pieces = spec.pieces
        expectedBytes = spec.expectedBytes
        for mirror in spec.mirrors {
            mirrors.append(MirrorURL(url: try SourceURL(parsing: mirror.url), priority: max(1, mirror.priority)))
        }
        retry = RetryPolicy(limit: spec.retries)
        tuning = spec.tuning
        retry.wait = tuning.retryWait
        idleTimeout = spec.idleTimeout
        (maxWait, maxTime, minSpeed) = (spec.maxWait, spec.maxTime, spec.minSpeed)
        resumes = spec.resumes
        insecure = spec.insecure
        allowsDowngrade = spec.allowsDowngrade
        failsOnHTML = spec.failsOnHTML
        window = spec.range
        self.progressInterval = progressInterval
        if let window, window.isEmpty {
            throw DownloadError(.invalidRequest, "the range \(window) holds no byte: its end must lie behind its start")
        }
        for header in spec.headers { try Self.check(header) }
        if spec.headers.contains(where: { $0.name.lowercased() == "range" }) {
            throw DownloadError(
                .invalidRequest, "the header Range can't be set, since Haul asks for ranges itself: use `range` instead"
            )
        }
    }

    /// Whether digests say at the end that all bytes are right, whoever brought them.
    package var isVouchedFor: Bool { checksum != nil || pieces != nil }

    /// Another source of the file.
    package struct MirrorURL: Hashable, Sendable {
        /// Where it is.
        package var url: SourceURL
        /// Which source is asked first: the lowest number; the main one has 1.
        package var priority: Int

        /// Makes one.
        package init(url: SourceURL, priority: Int) {
            self.url = url
            self.priority = priority
        }
    }

    /// Refuses what could be sent only changed, or not at all; the value, which may be a secret, is not told.
    private static func check(_ header: DownloadSpec.Header) throws(DownloadError) {
        guard HTTPField.Name(header.name) != nil else {
            throw DownloadError(
                .invalidRequest,
                "\"\(URLRedaction.quoted(header.name, width: 60))\" is no header name: use letters, digits and any of !#$%&'*+-.^_`|~"
            )
        }
        // RFC 9110, section 5.5: CR, LF and NUL in a value are dangerous and never sent.
        guard !header.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
            throw DownloadError(
                .invalidRequest, "the value of \(header.name) holds a line break or a NUL: write it on one line")
        }
    }
}

import HTTPTypes

/// The part of a download's spec that the machine needs.
package struct MachineConfiguration: Hashable, Sendable {
    /// The main URL of the file.
    package var url: SourceURL
    /// The connections and limits of the download.
    package var transfer: DownloadSpec.Transfer
    /// The checksum that the file must have.
    package var checksum: Checksum?
    /// The origin of that checksum.
    package var checksumOrigin = ChecksumOrigin.given
    /// True if the digest in the server's response header is used when no other checksum is known.
    package var usesHeaderChecksum: Bool
    /// The other sources of the file.
    package var mirrors: [MirrorURL] = []
    /// True if mirrors named by a server are used as well.
    package var usesLinkedMirrors = true
    /// The digests of the file's pieces.
    package var pieces: PieceHashes?
    /// The size that the file must have.
    package var expectedBytes: Int64?
    /// The form of the first request.
    package var form = RequestForm()
    /// True if the request may be repeated although the server may have carried it out.
    package var mayRepeat = true
    /// The number of consecutive attempts that may fail, and the waits between them.
    package var retry: RetryPolicy
    /// The proxies that requests use, to be named in errors.
    package var proxies = ProxySettings()
    /// Settings that only the interfaces of other programs use.
    package var tuning: DownloadTuning
    /// True if a partial file is kept.
    package var resumes: Bool
    /// True if certificates are not verified.
    package var insecure: Bool
    /// The policy for redirects and for URLs that a server names.
    package var redirects: RedirectPolicy
    /// True if a web page under another file's name is an error.
    package var failsOnHTML: Bool
    /// The range of the resource that is the whole file; nil for all of it.
    package var window: ByteRange?
    /// The number of bytes that may be fetched ahead of a receiver that takes the file in order; nil if it is kept as a
    /// file.
    package var streamWindow: Int64?
    /// True if the receiver starts again by itself if a stream can't continue.
    package var receiverStartsAgain = false
    /// The time between two progress reports.
    package var progressInterval: Duration

    /// Creates a configuration from a spec.
    ///
    /// - Parameter url: The spec's URL, if it was parsed already.
    /// - Throws: `DownloadError` with code `invalidRequest` if the URL is invalid, the range is empty, the rate limit is
    ///   negative, a header cannot be sent or contains a range of its own, or method and body can't be combined with the
    ///   rest.
    package init(
        _ spec: borrowing DownloadSpec, url: SourceURL? = nil, progressInterval: Duration = .milliseconds(100)
    ) throws(DownloadError) {
        if let url { self.url = url } else { self.url = try SourceURL(parsing: spec.url) }
        transfer = spec.transfer
        checksum = spec.checksum
        usesHeaderChecksum = spec.usesHeaderChecksum
        form = spec.source.form
        usesLinkedMirrors = spec.usesLinkedMirrors && form.isGet
        pieces = spec.pieces
        expectedBytes = spec.expectedBytes
        for mirror in spec.mirrors {
            mirrors.append(MirrorURL(url: try SourceURL(parsing: mirror.url), priority: max(1, mirror.priority)))
        }
        retry = spec.retryPolicy
        tuning = spec.tuning
        resumes = spec.resumes && form.isGet
        mayRepeat = spec.mayRepeat
        insecure = spec.insecure
        redirects = spec.access.redirects
        failsOnHTML = spec.failsOnHTML
        window = spec.range
        self.progressInterval = progressInterval
        if let window, window.isEmpty {
            throw DownloadError(.invalidRequest, "the range \(window) is empty: its end must be after its start")
        }
        try spec.checkRequest(to: self.url)
        try spec.destination.check()
        try RateSchedule.check(spec.rateLimit)
        for header in spec.headers { try Self.check(header) }
        if spec.headers.contains(where: { $0.name.lowercased() == "range" }) {
            throw DownloadError(
                .invalidRequest, "the header Range can't be set: use `range` instead"
            )
        }
    }

    /// True if checksums verify at the end that all bytes are right, whatever source they are from.
    package var isVouchedFor: Bool { checksum != nil || pieces != nil }

    /// Another source of the file.
    package struct MirrorURL: Hashable, Sendable {
        /// The URL of the source.
        package var url: SourceURL
        /// The priority: the source with the lowest number is used first.
        ///
        /// The main source has 1.
        package var priority: Int

        /// Creates a mirror URL.
        package init(url: SourceURL, priority: Int) {
            self.url = url
            self.priority = priority
        }
    }

    /// Rejects a header that could be sent only modified, or not at all.
    ///
    /// The value may be a secret and is not part of the error.
    private static func check(_ header: DownloadSpec.Header) throws(DownloadError) {
        guard HTTPField.Name(header.name) != nil else {
            throw DownloadError(
                .invalidRequest,
                "\"\(URLRedaction.quoted(header.name, width: 60))\" is not a valid header name: use letters, digits and any of !#$%&'*+-.^_`|~"
            )
        }
        // RFC 9110, section 5.5: CR, LF and NUL in a value are dangerous and never sent.
        guard !header.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
            throw DownloadError(
                .invalidRequest, "the value of \(header.name) has a line break or a NUL: write it on one line")
        }
    }
}

/// The range that one request asks for, and the expectations for its response.
package struct RangeRequest: Hashable, Sendable {
    /// The offset of the first requested byte.
    package var offset: Int64
    /// The offset after the last requested byte; nil means the end of the file.
    package var end: Int64?
    /// True if a `Range` header is sent.
    package var usesRange: Bool
    /// The part of the resource that is the file; nil means all of it.
    ///
    /// All other offsets count from its lower bound. An upper bound of `Int64.max` is the end of the resource.
    package var window: ByteRange?
    /// The version that the bytes must belong to; nil before the first response.
    package var known: KnownVersion?
    /// True if `If-Range` is sent when there is a suitable validator.
    package var usesIfRange = true
    /// True if a part is accepted although its version is unproven: its first bytes are compared with those on disk, a
    /// checksum is verified at the end, or there are no bytes yet that it could contradict.
    package var takesUnproven = false
    /// True if 201 Created has the file as well, as the response to another method than GET may have.
    package var takesCreated = false

    /// The modification time of an existing copy, in seconds since 1970, to be sent as `If-Modified-Since`; nil
    /// requests the file unconditionally.
    package var ifModifiedSince: Int64?

    /// Makes a request.
    package init(
        offset: Int64, end: Int64? = nil, usesRange: Bool = true, window: ByteRange? = nil, known: KnownVersion? = nil
    ) {
        self.offset = offset
        self.window = window
        self.end = end
        self.usesRange = usesRange
        self.known = known
    }

    /// The value of the `Range` header, or nil if none is sent (RFC 9110, 14.2).
    package var rangeHeader: String? {
        guard usesRange else { return nil }
        let first = base + offset
        // An end beyond the largest offset is the end of the resource: a caller's window may extend that far.
        let (last, overflows) = base.addingReportingOverflow(end ?? limit)
        guard end != nil || limit < .max, !overflows else { return "bytes=\(first)-" }
        return "bytes=\(first)-\(last - 1)"
    }

    /// The offset of the file's first byte in the resource.
    package var base: Int64 { window?.lowerBound ?? 0 }

    /// The maximum size of the file.
    package var limit: Int64 { window?.limit ?? .max }

    /// Returns the size of the file if the resource has `total` bytes.
    package func size(ofTotal total: Int64) -> Int64 { min(limit, max(0, total - base)) }

    /// The value of the `If-Modified-Since` header, or nil (RFC 9110, 13.1.3).
    package var ifModifiedSinceHeader: String? { ifModifiedSince.map(HTTPDate.string) }

    /// The value of the `If-Range` header, or nil.
    package var ifRangeHeader: String? { usesRange && usesIfRange ? known?.validators.ifRange : nil }
}

/// The version of a resource that a download started with.
package struct KnownVersion: Hashable, Sendable {
    /// The size, if known.
    package var total: Int64?
    /// The size of the whole resource, if the file is only a part of it and a response of this run reported it.
    package var resourceTotal: Int64?
    /// The validators.
    package var validators: Validators
    /// The origin of the bytes on disk: bytes of other sources are not covered by the validators.
    package var provenance = Provenance.oneSource
    /// The source of the validators, if this is the version of a partial file.
    package var describer = Describer.main
    /// True if the bytes on disk begin like a web page.
    package var beginsLikePage = false

    /// Makes a version.
    package init(total: Int64?, validators: Validators) {
        self.total = total
        self.validators = validators
    }
}

/// The facts in a response that carries bytes of the file.
package struct ResponseFacts: Hashable, Sendable {
    /// The offset of the body's first byte in the file.
    package var offset: Int64
    /// The offset after the body's last byte, if announced.
    package var end: Int64?
    /// The size of the whole file, if announced.
    package var total: Int64?
    /// True if the body has ended without a byte, although no size was announced.
    package var isEmpty = false
    /// The size of the whole resource, if announced and different from that of the file.
    package var resourceTotal: Int64?
    /// The validators of the version.
    package var validators: Validators
    /// The evidence for the server's range support.
    package var ranges: RangeSupport
    /// The `Content-Disposition` value.
    package var contentDisposition: String?
    /// The `Last-Modified` time in seconds since 1970.
    package var modified: Int64?
    /// True if the media type is that of a web page.
    package var isWebPage = false
    /// True if the media type is that of other text, such as the JSON or XML of an error.
    package var isText = false
    /// True if the response had an ETag that describes the encoded bytes, not the decoded ones.
    package var hasEncodedTag = false
    /// The digest of the whole resource, from a header.
    package var digest: HeaderDigest?
    /// Mirrors and descriptions of the file that the server links to.
    package var links = ServerLinks()
    /// The origin of the file's bytes.
    package var provenance = Provenance.oneSource
    /// The source of the response, for the journal.
    package var describer = Describer.main

    /// Makes facts.
    package init(
        offset: Int64, end: Int64?, total: Int64?, validators: Validators = Validators(), servesRanges: Bool = false,
        contentDisposition: String? = nil, modified: Int64? = nil, digest: HeaderDigest? = nil
    ) {
        self.offset = offset
        self.end = end
        self.total = total
        self.validators = validators
        ranges = servesRanges ? .shown : .refused
        self.contentDisposition = contentDisposition
        self.modified = modified
        self.digest = digest
    }

    /// True if the server has just sent a range.
    package var servesRanges: Bool { ranges == .shown }

    /// True if the rest of the file could be requested later: without a size and ranges, it could not.
    package var canContinue: Bool { total != nil || ranges != .refused }

    /// The version that these facts describe.
    package var version: KnownVersion {
        var version = KnownVersion(total: total, validators: validators)
        version.resourceTotal = resourceTotal
        return version
    }
}

/// The evidence in a response for a server's range support (RFC 9110, section 14).
package enum RangeSupport: Hashable, Sendable {
    /// The server sent the whole file although a range was requested, or sent `Accept-Ranges: none`.
    case refused
    /// No range was requested, and the response says nothing about ranges.
    case unknown
    /// No range was requested, and the response has `Accept-Ranges: bytes`.
    case promised
    /// The server sent a part.
    case shown
}

extension RangeSupport {
    /// Evaluates a response with the whole file.
    init(ofWhole ask: RangeRequest, acceptRanges: String?) {
        switch acceptRanges?.lowercased() {
        case _ where ask.usesRange: self = .refused
        case nil: self = .unknown
        case "none": self = .refused
        case .some(let units): self = units.contains(bytes: "bytes") ? .promised : .unknown
        }
    }
}

extension ByteRange {
    /// The maximum size of a file that is this part of a resource; `Int64.max` if the part extends to its end.
    package var limit: Int64 { upperBound == .max ? .max : count }
}

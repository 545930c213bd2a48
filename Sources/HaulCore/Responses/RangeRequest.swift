/// What one request asks for, and what the answer is measured against.
package struct RangeRequest: Hashable, Sendable {
    /// The offset of the first byte asked for.
    package var offset: Int64
    /// The offset behind the last byte asked for, or nil: to the end.
    package var end: Int64?
    /// Whether a `Range` header is sent at all.
    package var usesRange: Bool
    /// The bytes of the resource that are the whole file; nil: all of them.
    ///
    /// All other offsets count from its lower bound. An upper bound of `Int64.max` is the end of the resource.
    package var window: ByteRange?
    /// What is known of the version that the bytes must belong to; nil before the first answer.
    package var known: KnownVersion?
    /// Whether `If-Range` is sent where there is something to send.
    package var usesIfRange = true
    /// Whether a part that does not show of which version it is may be taken: its first bytes are compared with those that are there,
    /// a checksum decides at the end, or there are no bytes yet that it could contradict.
    package var takesUnproven = false

    /// The time of last change, in seconds since 1970, of a copy that need not be sent again; nil: whatever there is, is wanted.
    package var ifModifiedSince: Int64?

    /// Makes an ask.
    package init(
        offset: Int64, end: Int64? = nil, usesRange: Bool = true, window: ByteRange? = nil, known: KnownVersion? = nil
    ) {
        self.offset = offset
        self.window = window
        self.end = end
        self.usesRange = usesRange
        self.known = known
    }

    /// The `Range` header's value, or nil where none is sent (RFC 9110, 14.2).
    package var rangeHeader: String? {
        guard usesRange else { return nil }
        let first = base + offset
        // An end beyond the largest offset is the end of the resource: a caller's window may reach there.
        let (last, overflows) = base.addingReportingOverflow(end ?? limit)
        guard end != nil || limit < .max, !overflows else { return "bytes=\(first)-" }
        return "bytes=\(first)-\(last - 1)"
    }

    /// The offset in the resource of the file's first byte.
    package var base: Int64 { window?.lowerBound ?? 0 }

    /// The largest size that the file may have.
    package var limit: Int64 { window?.limit ?? .max }

    /// The size of the file where the resource has `total` bytes.
    package func size(ofTotal total: Int64) -> Int64 { min(limit, max(0, total - base)) }

    /// The `If-Modified-Since` header's value, or nil (RFC 9110, 13.1.3).
    package var ifModifiedSinceHeader: String? { ifModifiedSince.map(HTTPDate.string) }

    /// The `If-Range` header's value, or nil.
    package var ifRangeHeader: String? { usesRange && usesIfRange ? known?.validators.ifRange : nil }
}

/// The version of a resource that a download has begun with.
package struct KnownVersion: Hashable, Sendable {
    /// Its size, if known.
    package var total: Int64?
    /// The size of the whole resource, if only a part of it is the file and a response of this run told it.
    package var resourceTotal: Int64?
    /// Its validators.
    package var validators: Validators
    /// How the bytes that are there came together: the validators may say nothing of another source's.
    package var provenance = Provenance.oneSource

    /// Makes a version.
    package init(total: Int64?, validators: Validators) {
        self.total = total
        self.validators = validators
    }
}

/// What an answer that carries bytes of the file says.
package struct ResponseFacts: Hashable, Sendable {
    /// The offset of the body's first byte in the file.
    package var offset: Int64
    /// The offset behind the body's last byte, if announced.
    package var end: Int64?
    /// The size of the whole file, if announced.
    package var total: Int64?
    /// The size of the whole resource, if it is announced and is not that of the file.
    package var resourceTotal: Int64?
    /// The version's validators.
    package var validators: Validators
    /// What the response shows of the server's support for ranges.
    package var ranges: RangeSupport
    /// The `Content-Disposition` value.
    package var contentDisposition: String?
    /// `Last-Modified` in seconds since 1970.
    package var modified: Int64?
    /// Whether its media type is that of a web page.
    package var isWebPage = false
    /// The digest of the whole resource that its header tells.
    package var digest: HeaderDigest?
    /// Where the server says that the same file is, too, and what describes it.
    package var links = ServerLinks()
    /// How the bytes of the file will come together.
    package var provenance = Provenance.oneSource

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

    /// Whether the server has just shown that it serves ranges.
    package var servesRanges: Bool { ranges == .shown }

    /// The version they speak of.
    package var version: KnownVersion {
        var version = KnownVersion(total: total, validators: validators)
        version.resourceTotal = resourceTotal
        return version
    }
}

/// What a response shows of a server's support for ranges (RFC 9110, section 14).
package enum RangeSupport: Hashable, Sendable {
    /// It sent the whole file although a range was requested, or said `Accept-Ranges: none`.
    case refused
    /// It was not asked for a range and says nothing about them.
    case unknown
    /// It was not asked for a range and said `Accept-Ranges: bytes`.
    case promised
    /// It sent a part.
    case shown
}

extension RangeSupport {
    /// Reads what a response with the whole file says.
    init(ofWhole ask: RangeRequest, acceptRanges: String?) {
        switch acceptRanges?.lowercased() {
        case _ where ask.usesRange: self = .refused
        case nil: self = .unknown
        case "none": self = .refused
        case .some(let units): self = units.contains("bytes") ? .promised : .unknown
        }
    }
}

extension ByteRange {
    /// The largest size of a file that is this part of a resource; `Int64.max`: to its end.
    package var limit: Int64 { upperBound == .max ? .max : count }
}

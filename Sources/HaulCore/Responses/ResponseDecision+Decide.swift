package import HTTPTypes

extension ResponseDecision {
    /// Decides what `response` means for the request `ask`.
    ///
    /// RFC 9110: 13.1.5 (If-Range), 14.4 (Content-Range), 15.3.7 (206), 15.4 (redirection), 15.5.17 (416).
    ///
    /// - Parameters:
    ///   - url: The URL that responded, if its name may show that the file itself is compressed.
    ///   - now: The current time in seconds since 1970, for `Retry-After` dates and responses without `Date`.
    package static func decide(
        _ ask: RangeRequest, _ response: HTTPResponse, url: SourceURL? = nil, now: Int64
    ) -> ResponseDecision {
        let status = response.status.code
        let fields = ResponseHeaders(response.headerFields)
        switch status {
        case 200, 203, 206:
            if let refusal = encodingRefusal(fields, ContentCoding(response.headerFields, url: url)) {
                return .refuse(refusal)
            }
            return status == 206 ? decidePart(ask, fields, now: now) : decideWhole(ask, fields, now: now)
        case 201 where ask.takesCreated:
            if let refusal = encodingRefusal(fields, ContentCoding(response.headerFields, url: url)) {
                return .refuse(refusal)
            }
            return decideWhole(ask, fields, now: now)
        case 300, 301, 302, 303, 307, 308: return decideRedirect(fields, status)
        case 304 where ask.ifModifiedSince != nil: return .notModified
        case 401, 403, 404, 407, 410: return .denied(status: status, refusal(response, url))
        // RFC 9110, 15: an unknown 5xx is treated as 500.
        case 408, 425, 500, 502, 504, 506...599: return .tryAgain(status: status, refusal(response, url))
        case 416: return decideUnsatisfiable(ask, fields)
        case 429, 503:
            let after = fields[.retryAfter].flatMap { RetryAfter.delay($0, now: now) }
            return .busy(status: status, retryAfter: after, refusal(response, url))
        default:
            let refusesRanges = ask.usesRange && ask.known != nil && rangeRefusals.contains(status)
            return .refuse(
                DownloadError(
                    .unexpectedStatus, "the server returned \(statusLine(status))",
                    detail: refusesRanges ? .rangeRefused : nil
                ).of(status: status))
        }
    }

    /// The statuses other than 416 with which some servers refuse a range, or its condition, instead of sending the whole file.
    private static let rangeRefusals: Set = [400, 405, 406, 409, 412, 413, 417, 422, 501]

    private static func refusal(_ response: HTTPResponse, _ url: SourceURL?) -> Refusal {
        Refusal(
            reply: url?.isWeb == false ? response.status.reasonPhrase : nil,
            offers: Challenges.schemes(in: response.headerFields[values: .wwwAuthenticate]))
    }

    private static func decideWhole(_ ask: RangeRequest, _ fields: ResponseHeaders, now: Int64) -> ResponseDecision {
        let length: Int64?
        switch contentLength(fields) {
        case .none: length = nil
        case .some(.some(let bytes)): length = bytes
        case .some(.none):
            return .refuse(DownloadError(.badResponse, "the server sent an invalid Content-Length"))
        }
        if isPart(fields, length: length) {
            let problem = "the server sent 200 OK with the Content-Range of a part"
            return ask.usesRange ? .rangesBroken(problem) : .refuse(DownloadError(.badResponse, problem))
        }
        guard ask.base == 0 || ask.usesRange && ask.known != nil else {
            return .refuse(
                DownloadError(
                    .badResponse,
                    "the server does not support range requests, so a part of the file cannot be downloaded"))
        }
        var facts = facts(
            fields, offset: 0, end: length, total: length.map(ask.size(ofTotal:)),
            RangeSupport(ofWhole: ask, acceptRanges: fields[.acceptRanges]), now: now)
        facts.resourceTotal = length == facts.total ? nil : length
        guard let known = ask.known else { return ask.offset == 0 ? .take(facts) : .whole(facts, agreement: .unknown) }
        var agreement = agreement(known, facts)
        // RFC 9110, 13.1.5: a 200 in response to If-Range means another version. Some servers compare If-Range with one of the validators only;
        // their response shows the one that was sent.
        if agreement == .unknown, let sent = ask.ifRangeHeader, !facts.validators.contains(sent) {
            agreement = .different
        }
        // The whole begins at the resource's first byte, which is not the file's if only a later part is wanted.
        let isProved = agreement == .same || agreement == .unknown && ask.takesUnproven && known.total == facts.total
        if ask.base == 0, ask.offset == 0, isProved { return .take(facts) }
        return .whole(facts, agreement: agreement)
    }

    /// Returns true if the body of a 200 is nevertheless a part, for example because a cache stored a 206 as the whole
    /// file.
    ///
    /// The field itself has no meaning there (RFC 9110, section 14.4), so it counts only if nothing contradicts it.
    private static func isPart(_ fields: ResponseHeaders, length: Int64?) -> Bool {
        guard let text = fields[.contentRange], case .range(let range, let total)? = ContentRange(parsing: text) else {
            return false
        }
        let length = length ?? total
        return range.lowerBound > 0 || range.upperBound != length || total ?? length != length
    }

    private static func decidePart(_ ask: RangeRequest, _ fields: ResponseHeaders, now: Int64) -> ResponseDecision {
        if fields[.contentType]?.lowercased().hasPrefix("multipart/") == true {
            return .rangesBroken("it sent several parts for one range")
        }
        guard let text = fields[.contentRange], let parsed = ContentRange(parsing: text),
            case .range(let range, let total) = parsed
        else { return .rangesBroken("its Content-Range is missing or invalid") }
        guard range.lowerBound == ask.base + ask.offset else {
            return .rangesBroken("it sent offset \(range.lowerBound) instead of \(ask.base + ask.offset)")
        }
        if case .some(let length) = contentLength(fields), length != range.count {
            return .rangesBroken("its Content-Length contradicts its Content-Range")
        }
        // A part of unknown total size does not show where the file ends.
        let end = range.upperBound - ask.base
        let resourceTotal = total
        guard let total = total.map(ask.size(ofTotal:)) ?? ask.known?.total ?? (end == ask.limit ? end : nil) else {
            return ask.base == 0 && ask.usesRange ? .askWithoutRange : .refuse(unknownEnd)
        }
        // Some servers answer every request with a part; that is correct if it is the whole file.
        guard ask.usesRange || range.lowerBound == 0 && end == total else {
            return .refuse(DownloadError(.badResponse, "the server sent a part although the whole file was requested"))
        }
        var facts = facts(fields, offset: ask.offset, end: end, total: total, .shown, now: now)
        facts.resourceTotal = resourceTotal == total ? nil : resourceTotal
        guard let known = ask.known else { return .take(facts) }
        return switch agreement(known, facts) {
        case .same: .take(facts)
        case .different: .otherVersion(facts)
        case .unknown: ask.takesUnproven ? .take(facts) : .unproven
        }
    }

    private static func beyondEnd(_ ask: RangeRequest, total: Int64?) -> DownloadError {
        let rest = total.map { ": it has only \($0) bytes" } ?? ", or the server can't send parts of it"
        return DownloadError(
            .invalidRequest, "the range begins at offset \(ask.base), after the end of the file\(rest)",
            cause: statusLine(416))
    }

    private static let unknownEnd = DownloadError(
        .badResponse, "the server does not send the size of the file, so the end of the range is unknown")

    private static func decideRedirect(_ fields: ResponseHeaders, _ status: Int) -> ResponseDecision {
        // Some servers send it twice, and some send an empty one first.
        let locations = Set(fields[values: .location]).subtracting([""])
        guard locations.count <= 1 else {
            return .refuse(DownloadError(.redirectRefused, "the server sent a redirect with several Locations"))
        }
        guard let location = locations.first else {
            return .refuse(DownloadError(.redirectRefused, "the server sent a redirect without a Location"))
        }
        return .redirect(location: location, status: status, links: ServerLinks(fields))
    }

    private static func decideUnsatisfiable(_ ask: RangeRequest, _ fields: ResponseHeaders) -> ResponseDecision {
        // No range was requested, so this may be temporary.
        guard ask.usesRange else { return .tryAgain(status: 416) }
        var total: Int64?
        if let text = fields[.contentRange], case .unsatisfied(let size)? = ContentRange(parsing: text) {
            total = size
        }
        guard let known = ask.known else {
            return ask.base == 0 ? .askWithoutRange : .refuse(beyondEnd(ask, total: total))
        }
        if let total, ask.size(ofTotal: total) != known.total { return .changed }
        return .rangesBroken("it refused a range within the file")
    }
}

extension ResponseDecision {
    /// Compares sizes first, then validators.
    private static func agreement(_ known: KnownVersion, _ facts: ResponseFacts) -> Validators.Agreement {
        if let mine = known.total, let theirs = facts.total, mine != theirs { return .different }
        if let mine = known.resourceTotal, let theirs = facts.resourceTotal, mine != theirs { return .different }
        return known.validators.agreement(with: facts.validators)
    }

    private static func facts(
        _ fields: ResponseHeaders, offset: Int64, end: Int64?, total: Int64?, _ ranges: RangeSupport, now: Int64
    ) -> ResponseFacts {
        let lastModified = fields[.lastModified]
        let modified = lastModified.flatMap { HTTPDate.parse($0, now: now) }
        let date = fields[.date].flatMap { HTTPDate.parse($0, now: now) }
        let isStrong = if let modified, let date { date - modified >= 60 } else { false }
        let validators = Validators(etag: fields[.eTag], lastModified: lastModified, dateIsStrong: isStrong)
        var facts = ResponseFacts(
            offset: offset, end: end, total: total, validators: validators,
            contentDisposition: fields[values: .contentDisposition].first, modified: modified,
            digest: HeaderDigest(fields, isWhole: offset == 0 && (ranges != .shown || end == total)))
        facts.ranges = ranges
        let kind = ResponseKind(contentType: fields[.contentType])
        (facts.isWebPage, facts.isText) = (kind == .page, kind == .text)
        facts.hasEncodedTag = fields[.encodedTag] != nil
        facts.links = ServerLinks(fields)
        return facts
    }

    /// Returns the `Content-Length`: nil if none was sent, `.some(nil)` if it is not a number.
    private static func contentLength(_ fields: ResponseHeaders) -> Int64?? {
        guard let text = fields[.contentLength] else { return .none }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return .some(nil)
        }
        return .some(Int64(text))
    }

    /// Returns the error for a response that is encoded although `identity` was requested, unless the file itself is
    /// compressed and its type says so (`application/gzip` sent with `Content-Encoding: gzip`).
    ///
    /// A transfer coding other than chunked, which no transport decodes, was not requested either (RFC 9112, 7.4).
    private static func encodingRefusal(_ fields: ResponseHeaders, _ coding: ContentCoding) -> DownloadError? {
        let codings = fields[.transferEncoding]?.lowercased() ?? ""
        let isPlain = codings.utf8.split(separator: UInt8(ascii: ",")).allSatisfy {
            ["chunked", "identity"].contains(String(decoding: Array($0)[...].trimmingOptionalSpace, as: UTF8.self))
        }
        guard isPlain else { return compressed("Transfer-Encoding", codings) }
        guard coding != .none else { return nil }
        return compressed("Content-Encoding", (fields[.contentEncoding] ?? "").lowercased())
    }

    private static func compressed(_ header: String, _ coding: String) -> DownloadError {
        DownloadError(
            .contentEncoded, "the response is compressed in a way that can't be decoded",
            cause: "\(header): \(TerminalText.printable(String(coding.prefix(40))))")
    }
}

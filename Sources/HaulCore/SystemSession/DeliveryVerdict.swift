package import HTTPTypes

/// The verdict on a file that the system has transferred, before anything else is done with it.
///
/// The system checks neither the status (an error page is delivered like a file) nor the size, and joins the parts of a
/// file that it has continued by itself. So no file gets further that is not as long as the server said, or whose parts
/// are not proved to be of one version (guarantees: one version, no false success).
package enum DeliveryVerdict: Hashable, Sendable {
    /// The file is the whole resource, and this head describes it as such.
    case whole(HTTPResponse)
    /// The file is what the server sent instead, such as an error page.
    case other(HTTPResponse)
    /// The file is of no use.
    case unusable(DownloadError, Again)

    /// What may follow a file of no use.
    package enum Again: Hashable, Sendable {
        /// Another attempt is of no use, either.
        case never
        /// Another attempt may succeed, after this number of seconds at the earliest.
        case after(seconds: Int64)
    }

    /// Judges a file.
    ///
    /// - Parameters:
    ///   - response: The last response to the task.
    ///   - size: The size of the file.
    ///   - version: The strong validator of the bytes that the task has continued from; nil if it began at the start.
    ///   - now: The seconds since 1970.
    package static func judge(
        _ response: HTTPResponse, size: Int64, continuing version: String?, now: Int64
    ) -> DeliveryVerdict {
        let fields = ResponseHeaders(response.headerFields)
        guard [200, 203, 206].contains(response.status.code) else { return judgeOther(response, now: now) }
        let coding = (fields[.contentEncoding] ?? "").lowercased()
        // The system has decoded it, or not: the name and the size are those of something else.
        guard coding.isEmpty || coding == "identity" else {
            return .unusable(
                DownloadError(
                    .contentEncoded, "the response is compressed although that was not requested",
                    cause: "Content-Encoding: \(TerminalText.printable(String(coding.prefix(40))))"), .never)
        }
        if response.status.code == 206 { return judgePart(response, fields, size, version, now) }
        if let text = fields[.contentLength], Int64(text) != size {
            return .unusable(wrongSize(size, expected: text), .after(seconds: 0))
        }
        return .whole(whole(response, size: size))
    }

    /// Returns the validator under which bytes of this response may be joined with later ones, or nil.
    package static func version(of response: HTTPResponse, now: Int64) -> String? {
        let fields = ResponseHeaders(response.headerFields)
        let modified = fields[.lastModified].flatMap { HTTPDate.parse($0, now: now) }
        let date = fields[.date].flatMap { HTTPDate.parse($0, now: now) }
        let isStrong = if let modified, let date { date - modified >= 60 } else { false }
        return Validators(etag: fields[.eTag], lastModified: fields[.lastModified], dateIsStrong: isStrong).ifRange
    }

    private static func judgeOther(_ response: HTTPResponse, now: Int64) -> DeliveryVerdict {
        switch ResponseDecision.decide(RangeRequest(offset: 0, usesRange: false), response, now: now) {
        case .busy(let status, let seconds, let refusal):
            .unusable(DownloadError.busy(status, refusal).of(status: status), .after(seconds: max(0, seconds ?? 0)))
        case .tryAgain(let status, let refusal):
            .unusable(DownloadError.busy(status, refusal).of(status: status), .after(seconds: 0))
        case .take, .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange, .rangesBroken,
            .redirect, .denied, .refuse:
            .other(response)
        }
    }

    /// Judges a file whose last part has come in response to a range request of the system.
    private static func judgePart(
        _ response: HTTPResponse, _ fields: ResponseHeaders, _ size: Int64, _ version: String?, _ now: Int64
    ) -> DeliveryVerdict {
        guard let text = fields[.contentRange], case .range(let range, let total)? = ContentRange(parsing: text) else {
            return .unusable(
                DownloadError(.badResponse, "the server sent a part without a valid Content-Range"), .after(seconds: 0))
        }
        guard total == size, range.upperBound == size else {
            return .unusable(wrongSize(size, expected: text), .after(seconds: 0))
        }
        // A part that is everything has nothing to be joined with.
        guard range.lowerBound == 0 || version != nil && version == Self.version(of: response, now: now) else {
            return .unusable(
                DownloadError(.sourceChanged, "the file on the server has changed while it was transferred"),
                .after(seconds: 0))
        }
        return .whole(whole(response, size: size))
    }

    private static func wrongSize(_ size: Int64, expected: String) -> DownloadError {
        DownloadError(
            .badResponse, "the file has \(size) bytes, which is not what the server announced",
            cause: TerminalText.printable(String(expected.prefix(80))))
    }

    /// Returns the head that a response with the whole file would have had.
    private static func whole(_ response: HTTPResponse, size: Int64) -> HTTPResponse {
        var result = response
        result.status = .ok
        result.headerFields[.contentRange] = nil
        result.headerFields[.transferEncoding] = nil
        result.headerFields[.contentLength] = "\(size)"
        result.headerFields[.acceptRanges] = "bytes"
        // It describes the part that was sent.
        if response.status.code == 206, let name = HTTPField.Name("Content-MD5") { result.headerFields[name] = nil }
        return result
    }
}

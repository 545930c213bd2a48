/// The meaning of a response for the request that it answers.
///
/// Only `take` lets bytes reach the file.
package enum ResponseDecision: Hashable, Sendable {
    /// The body is what was requested, starting at the requested offset.
    case take(ResponseFacts)
    /// The body is the whole file although a later part was requested. `agreement` compares it with the known version.
    case whole(ResponseFacts, agreement: Validators.Agreement)
    /// The file has another size than the known one, and no part of it was sent.
    case changed
    /// The body is the requested part, but the size or the validators of its file contradict the known ones.
    case otherVersion(ResponseFacts)
    /// The body is the requested part, but nothing proves its version.
    case unproven
    /// 304: the existing copy has not changed since its date.
    case notModified
    /// 416 at offset 0: the file may be empty, or the server may not support ranges; request it without a range.
    case askWithoutRange
    /// The server's ranges can't be trusted, for this reason.
    case rangesBroken(String)
    /// Request another URL. It may be the same URL if the cookies are new, or if the method changes with the status.
    case redirect(location: String, status: Int = 302, newCookies: Bool = false, links: ServerLinks = ServerLinks())
    /// 429 or 503: retry later, after `retryAfter` seconds if given.
    case busy(status: Int, retryAfter: Int64?, Refusal = Refusal())
    /// A status that may be temporary: 408, 425, 500, 502, 504 and above 505.
    case tryAgain(status: Int, Refusal = Refusal())
    /// 401, 403, 404, 407, 410: the link is invalid or has expired.
    case denied(status: Int, Refusal = Refusal())
    /// A permanent failure.
    case refuse(DownloadError)
}

extension ResponseDecision {
    /// The facts of a response that describes the file.
    var facts: ResponseFacts? {
        switch self {
        case .take(let facts), .whole(let facts, _), .otherVersion(let facts): facts
        case .changed, .unproven, .notModified, .askWithoutRange, .rangesBroken, .redirect, .busy, .tryAgain, .denied,
            .refuse:
            nil
        }
    }

    /// The status that decided; nil if something else did.
    package var status: Int? {
        switch self {
        case .busy(let status, _, _), .tryAgain(let status, _), .denied(let status, _): status
        case .notModified: 304
        case .take, .whole, .changed, .otherVersion, .unproven, .askWithoutRange, .rangesBroken, .redirect, .refuse: nil
        }
    }

    /// The wait that the server has asked for, up to the maximum; nil if it has asked for none.
    var wait: Duration? {
        guard case .busy(_, let seconds?, _) = self else { return nil }
        return .seconds(min(seconds, RetryAfter.maxBackoff))
    }
}

/// What a response means for the request that it answers.
///
/// Only `take` lets a byte reach the file.
package enum ResponseDecision: Hashable, Sendable {
    /// The body is what was asked for, from the offset asked for.
    case take(ResponseFacts)
    /// The whole file came where a later part was asked for. Whether it is the version that is known, `agreement` says.
    case whole(ResponseFacts, agreement: Validators.Agreement)
    /// Another version than the known one.
    case changed
    /// The part that was asked for, of a file of the same size, under validators that contradict the known ones.
    case otherVersion(ResponseFacts)
    /// The part that was asked for, but nothing shows of which version it is.
    case unproven
    /// 304: the copy that was asked about has not been changed since its date.
    case notModified
    /// 416 at offset 0: the file may be empty, or the server can't do ranges; ask without a range.
    case askWithoutRange
    /// The server's ranges can't be trusted; the reason says what was wrong with them.
    case rangesBroken(String)
    /// Look elsewhere; with other cookies than before it may be the same place.
    case redirect(location: String, newCookies: Bool = false, links: ServerLinks = ServerLinks())
    /// 429 or 503: come back later, in so many seconds if it said.
    case busy(status: Int, retryAfter: Int64?, Refusal = Refusal())
    /// A status that may pass: 408, 425, 500, 502, 504 and what is above 505.
    case tryAgain(status: Int, Refusal = Refusal())
    /// 401, 403, 404, 407, 410: the link is not good, or no longer.
    case denied(status: Int, Refusal = Refusal())
    /// Nothing to be had, ever.
    case refuse(DownloadError)
}

extension ResponseDecision {
    /// The status that decided; nil if it was something else.
    package var status: Int? {
        switch self {
        case .busy(let status, _, _), .tryAgain(let status, _), .denied(let status, _): status
        case .notModified: 304
        case .take, .whole, .changed, .otherVersion, .unproven, .askWithoutRange, .rangesBroken, .redirect, .refuse: nil
        }
    }
}

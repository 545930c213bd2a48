/// Requests that must not be sent twice: those that are not idempotent, such as POST, unless the caller allows it.
///
/// RFC 9110, section 9.2.2: such a request is repeated only if the server has certainly not carried it out.
extension DownloadMachine {
    /// The statuses of servers that have not carried out a request (RFC 9110, sections 15.5.9 and 15.6.4; RFC 8470; RFC
    /// 6585).
    private static let notCarriedOut: Set<Int> = [408, 425, 429, 503]

    /// True if the request can't be sent again.
    var mustNotRepeat: Bool { mayBeCarriedOut && !configuration.mayRepeat }

    /// Returns true if the end of a fetch shows that the server has not carried out its request.
    func wasNotCarriedOut(_ fetch: ActiveFetch, _ end: FetchEnd) -> Bool {
        // A GET that follows a redirect says nothing about the request before it.
        guard !fetch.plan.form.isGet else { return false }
        switch end {
        case .unreachable: return true
        case .broken(let error): return error.detail == .slowToConnect
        case .rejected: return fetch.decision?.status.map(Self.notCarriedOut.contains) ?? false
        case .complete, .enough, .won, .cancelled, .hopeless, .differs, .longer, .undecided, .fileFailed: return false
        }
    }

    /// Returns true if the request may be sent; otherwise the download fails.
    mutating func mayRequest(now: Duration) -> Bool {
        guard mustNotRepeat else { return true }
        let error = DownloadError(.badResponse, "the response ended before the file was complete")
        fail(unrepeated(sources[sources.primary].lastError ?? error), now: now)
        return false
    }

    /// Returns the error of a request that is not repeated after a failure.
    func unrepeated(_ error: DownloadError) -> DownloadError {
        configuration.retry.limit > 0 ? error.notRepeating(configuration.form.method) : error
    }
}

extension DownloadError {
    /// Returns the error of a request that is not repeated after this one, because the server may have carried it out.
    package func notRepeating(_ method: String) -> DownloadError {
        let text = "\(message); \(method) is not repeated, because the server may have carried it out"
        return DownloadError(code, text, cause: cause, detail: .notRepeated).of(status: status)
    }
}

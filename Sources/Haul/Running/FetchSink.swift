import HTTPTypes
import HaulCore
import HaulTransport

/// The receiving end of one fetch, as its run sees it.
protocol FetchSink: TransferSink {
    /// Where the fetch is now.
    var sample: FetchSample { get }
    /// Where its segment stands.
    var cursor: SegmentCursor { get }
}

/// Reads the head of a fetch's answer: what it means, and its cookies.
struct HeadReader: Sendable {
    let plan: FetchPlan
    let cookies: CookieKeeper
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64

    /// What an answer means for the request.
    func read(_ response: HTTPResponse) -> ResponseDecision {
        let decision = ResponseDecision.decide(plan.ask, response, now: wallClock())
        let newCookies = cookies.receive(response.headerFields, from: plan.url)
        guard newCookies, case .redirect(let location, _) = decision else { return decision }
        return .redirect(location: location, newCookies: true)
    }
}

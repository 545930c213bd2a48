import HTTPTypes
import HaulCore

/// Reads the head of a fetch's answer: what it means, and its cookies.
struct HeadReader: Sendable {
    let plan: FetchPlan
    let cookies: CookieKeeper
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64

    /// What an answer means for the request.
    func read(_ response: HTTPResponse) -> ResponseDecision {
        let decision = ResponseDecision.decide(plan.ask, response, url: plan.url, now: wallClock())
        let newCookies = cookies.receive(response.headerFields, from: plan.url)
        guard newCookies, case .redirect(let location, _, let links) = decision else { return decision }
        return .redirect(location: location, newCookies: true, links: links)
    }
}

import HTTPTypes
import HaulCore

/// Reads the head of a fetch's answer: what it means, and its cookies.
struct HeadReader: Sendable {
    let plan: FetchPlan
    let cookies: CookieKeeper
    /// How the request logs in.
    var login = Refusal.Login.nobody
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64

    /// What an answer means for the request.
    func read(_ response: HTTPResponse) -> ResponseDecision {
        let decision = ResponseDecision.decide(plan.ask, response, url: plan.url, now: wallClock())
        let newCookies = cookies.receive(response.headerFields, from: plan.url)
        switch decision {
        case .redirect(let location, _, let links) where newCookies:
            return .redirect(location: location, newCookies: true, links: links)
        case .denied(let status, var refusal):
            refusal.login = login
            return .denied(status: status, refusal)
        case .redirect, .take, .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange,
            .rangesBroken, .busy, .tryAgain, .refuse:
            return decision
        }
    }
}

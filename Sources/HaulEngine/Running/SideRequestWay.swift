import HTTPTypes
import HaulCore
import HaulLibC

/// The way of a request beside those for the file itself, from redirect to redirect.
struct SideRequestWay: Sendable {
    /// The URL to request next.
    private(set) var target: SourceURL
    /// The URLs before it, oldest first.
    private(set) var redirects: [SourceURL] = []
    /// The number of those that were requested with other cookies.
    private var settled = 0

    /// Begins at a URL.
    init(_ url: SourceURL) { target = url }

    /// Returns the plan for the next request.
    func plan(_ ask: RangeRequest) -> FetchPlan { FetchPlan(asking: ask, of: target, redirects: redirects) }

    /// Returns the meaning of the response to a request, and takes its cookies.
    static func read(
        _ response: HTTPResponse, to plan: FetchPlan, _ requests: RequestBuilder, _ context: RunContext
    ) -> ResponseDecision {
        HeadReader(
            plan: plan, cookies: requests.cookies, login: requests.login(for: plan), wallClock: context.clock.seconds
        ).read(response)
    }

    /// Goes to the target of a redirect.
    ///
    /// - Throws: `DownloadError` with code `redirectRefused`.
    mutating func follow(_ location: String, newCookies: Bool, _ policy: RedirectPolicy) throws(DownloadError) {
        if newCookies { settled = redirects.count + 1 }
        let next = try policy.next(location, from: target, after: redirects, settled: settled)
        redirects.append(target)
        target = next
    }
}

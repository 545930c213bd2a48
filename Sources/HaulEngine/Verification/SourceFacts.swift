import HaulCore
import HaulLibC
import HaulTransport

/// Requests the properties of a file from its source, and none of its bytes.
struct SourceFacts: Sendable {
    private let spec: DownloadSpec
    private let access: SourceAccess
    private let url: SourceURL
    private let context: RunContext

    init(_ spec: DownloadSpec, _ access: SourceAccess, url: SourceURL, _ context: RunContext) {
        self.spec = spec
        self.access = access
        self.url = url
        self.context = context
    }

    /// Returns the facts from the first response, after redirects, and the host that sent it.
    ///
    /// - Throws: The `DownloadError` that a download would end with if it were not retried.
    func ask() async throws(DownloadError) -> (facts: ResponseFacts, host: String) {
        let requests = RequestBuilder(spec: spec, homes: [url], access: access, context: context)
        var (way, usesRange) = (SideRequestWay(url), true)
        while true {
            let plan = way.plan(RangeRequest(offset: 0, usesRange: usesRange, window: spec.range))
            let target = plan.url
            let answer = await CollectingSink.send(
                requests.request(for: plan), over: context.transport, limit: 0, accepts: { _ in false })
            guard let response = answer.response else { throw Self.error(answer.outcome) }
            switch SideRequestWay.read(response, to: plan, requests, context) {
            case .take(let facts): return (facts, target.host)
            case .redirect(let location, _, let newCookies, _):
                try way.follow(location, newCookies: newCookies, spec.access.redirects)
            case .askWithoutRange where usesRange, .rangesBroken where usesRange: usesRange = false
            case .denied(let status, let refusal):
                throw .denied(status, refusal, by: context.proxies.forwarder(for: target.origin))
            case .busy(let status, _, let refusal), .tryAgain(let status, let refusal):
                throw .busy(status, refusal, by: context.proxies.forwarder(for: target.origin))
            case .refuse(let error): throw error
            case .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange, .rangesBroken:
                throw DownloadError(.badResponse, "the server's responses contradict each other")
            }
        }
    }

    private static func error(_ outcome: TransferOutcome?) -> DownloadError {
        switch outcome {
        case .failed(let error): DownloadError(error)
        case .cancelled: DownloadError(.cancelled, "stopped")
        case .complete, .enough, .rejected, nil: DownloadError(.badResponse, "the server sent no response")
        }
    }
}

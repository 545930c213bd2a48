import HTTPTypes
import HaulCore
import HaulLibC
import HaulTransport

/// Fetches the Metalink document that a server names for a file (RFC 6249, section 4).
///
/// Sends one small request to the origin that names it. The machine decides what a failure means.
struct DescriptionFetch: Sendable {
    /// The maximum size of a document, low because the user did not ask for it.
    static let limit = 1 << 20

    private let url: SourceURL
    private let hopWithoutTLS: SourceURL?
    private let requests: RequestBuilder
    private let context: RunContext
    private let queue = BlockingQueue(label: "haul.description")

    init(_ url: SourceURL, hopWithoutTLS: SourceURL?, _ requests: RequestBuilder, _ context: RunContext) {
        self.url = url
        self.hopWithoutTLS = hopWithoutTLS
        self.requests = requests
        self.context = context
    }

    /// Returns the description of the file; nil if there is no document, or it does not describe the file.
    ///
    /// It is a failure if another request may succeed: the connection fails, the server is busy, or the time is up.
    func run() async -> Result<FileDescription?, DownloadError> {
        let limit = requests.spec.transfer.sideRequestTimeout
        let answer: Result<FileDescription?, DownloadError>? = await within(limit) {
            switch await fetch() {
            case .failure(let error): return .failure(error)
            case .success(nil): return .success(nil)
            case .success(let bytes?):
                // Parsing may take long, so it must not run on the transport's thread.
                let found = await queue.run { (try? Metalink(parsing: bytes)).flatMap(description) }
                return .success(found)
            }
        }
        return answer ?? .failure(DownloadError(.timedOut, "no complete response within \(limit.inWords)"))
    }

    /// Fetches the document; redirects are followed within the origin.
    private func fetch() async -> Result<[UInt8]?, DownloadError> {
        var way = SideRequestWay(url)
        while way.target.origin == url.origin, way.redirects.count < 5, !Task.isCancelled {
            var plan = way.plan(RangeRequest(offset: 0, usesRange: false))
            plan.hopWithoutTLS = hopWithoutTLS
            let answer = await CollectingSink.send(
                requests.request(for: plan), over: context.transport, limit: Self.limit, accepts: Self.isDocument)
            if case .failed(let error)? = answer.outcome { return .failure(DownloadError(error)) }
            guard let response = answer.response else { return .success(nil) }
            if Self.isDocument(response) { return .success(answer.isWhole ? answer.bytes : nil) }
            switch SideRequestWay.read(response, to: plan, requests, context) {
            case .redirect(let location, _, let newCookies, _):
                let policy = RedirectPolicy(allowsDowngrade: false)
                guard (try? way.follow(location, newCookies: newCookies, policy)) != nil else { return .success(nil) }
            case .busy(let status, _, let refusal), .tryAgain(let status, let refusal):
                return .failure(DownloadError.busy(status, refusal).of(status: status))
            case .take, .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange, .rangesBroken,
                .denied, .refuse:
                return .success(nil)
            }
        }
        return .success(nil)
    }

    private static func isDocument(_ response: HTTPResponse) -> Bool {
        let coding = response.headerFields[.contentEncoding]?.lowercased() ?? "identity"
        return response.status.code == 200 && coding == "identity"
    }

    /// Returns the description of the only file, or of several, the one with the name in the URL.
    private func description(in document: Metalink) -> FileDescription? {
        let name = FileName.suggested(contentDisposition: nil, url: requests.homes[0])
        let named = document.files.first { $0.name.pathComponents.last == name }
        guard let file = named ?? (document.files.count == 1 ? document.files.first : nil) else { return nil }
        let mirrors = file.sources.prefix(16).compactMap { source in
            (try? SourceURL(parsing: source.url)).map {
                MachineConfiguration.MirrorURL(url: $0, priority: source.priority)
            }
        }
        return FileDescription(url: url, mirrors: mirrors, checksum: file.checksum, totalBytes: file.totalBytes)
    }
}

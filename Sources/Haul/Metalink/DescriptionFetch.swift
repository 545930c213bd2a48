import HTTPTypes
import HaulCore
import HaulTransport

/// Fetches the Metalink that a server names for a file (RFC 6249, section 4).
///
/// One small request at the origin that names it; whatever goes wrong with it, the download goes on without.
struct DescriptionFetch: Sendable {
    /// The largest document that is read, since nobody asked for it.
    static let limit = 1 << 20

    private let url: SourceURL
    private let requests: RequestBuilder
    private let context: RunContext
    private let queue = BlockingQueue(label: "haul.description")

    init(_ url: SourceURL, _ requests: RequestBuilder, _ context: RunContext) {
        self.url = url
        self.requests = requests
        self.context = context
    }

    /// What the document says of the file; nil where it can't be had in time, or says nothing of it.
    func run() async -> FileDescription? {
        await within(requests.spec.transfer.sideRequestTimeout) {
            guard let bytes = await fetch() else { return nil }
            // Parsing takes its time, which is not the transport's.
            return await queue.run { (try? Metalink(parsing: bytes)).flatMap(description) }
        } ?? nil
    }

    /// Redirects are followed within the origin.
    private func fetch() async -> [UInt8]? {
        var (target, way) = (url, [SourceURL]())
        while target.origin == url.origin, way.count < 5, !Task.isCancelled {
            let plan = FetchPlan(asking: RangeRequest(offset: 0, usesRange: false), of: target, redirects: way)
            let answer = await CollectingSink.send(
                requests.request(for: plan), over: context.transport, limit: Self.limit, accepts: Self.isDocument)
            guard let response = answer.response else { return nil }
            if Self.isDocument(response) { return answer.isWhole ? answer.bytes : nil }
            guard
                case .redirect(let location, _, _) = ResponseDecision.decide(
                    plan.ask, response, now: WallClock.now()),
                let next = try? RedirectPolicy(allowsDowngrade: false).next(location, from: target, after: way)
            else { return nil }
            way.append(target)
            target = next
        }
        return nil
    }

    private static func isDocument(_ response: HTTPResponse) -> Bool {
        let coding = response.headerFields[.contentEncoding]?.lowercased() ?? "identity"
        return response.status.code == 200 && coding == "identity"
    }

    /// Of several files it is the one of the URL's name.
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

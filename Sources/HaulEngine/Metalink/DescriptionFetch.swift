import HTTPTypes
import HaulCore
import HaulLibC
import HaulTransport

/// Fetches the Metalink document that a server names for a file (RFC 6249, section 4).
///
/// Sends one small request to the origin that names it; after any error, the download continues without it.
struct DescriptionFetch: Sendable {
    /// The maximum size of a document, low because the user did not ask for it.
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

    /// Returns the description of the file; nil if the document can't be fetched in time, or does not describe the
    /// file.
    func run() async -> FileDescription? {
        await within(requests.spec.transfer.sideRequestTimeout) {
            guard let bytes = await fetch() else { return nil }
            // Parsing may take long, so it must not run on the transport's thread.
            return await queue.run { (try? Metalink(parsing: bytes)).flatMap(description) }
        } ?? nil
    }

    /// Fetches the document; redirects are followed within the origin.
    private func fetch() async -> [UInt8]? {
        var way = SideRequestWay(url)
        while way.target.origin == url.origin, way.redirects.count < 5, !Task.isCancelled {
            let plan = way.plan(RangeRequest(offset: 0, usesRange: false))
            let answer = await CollectingSink.send(
                requests.request(for: plan), over: context.transport, limit: Self.limit, accepts: Self.isDocument)
            guard let response = answer.response else { return nil }
            if Self.isDocument(response) { return answer.isWhole ? answer.bytes : nil }
            guard
                case .redirect(let location, _, let newCookies, _) = SideRequestWay.read(
                    response, to: plan, requests, context),
                (try? way.follow(location, newCookies: newCookies, RedirectPolicy(allowsDowngrade: false))) != nil
            else { return nil }
        }
        return nil
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

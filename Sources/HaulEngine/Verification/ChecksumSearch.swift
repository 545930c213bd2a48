import HTTPTypes
import HaulCore
import HaulLibC
import HaulTransport

/// Looks for the checksum of a file beside it on the server.
///
/// Sends small requests to the URL's own origin; after any error, there is no checksum, and the download continues.
struct ChecksumSearch: Sendable {
    /// The maximum delay of a download: its idle timeout.
    private let maximum: Duration

    private let url: SourceURL
    private let requests: RequestBuilder
    private let context: RunContext
    private let redirects: RedirectPolicy

    init(_ spec: DownloadSpec, _ access: SourceAccess, url: SourceURL, _ context: RunContext) {
        self.url = url
        self.context = context
        maximum = spec.transfer.sideRequestTimeout
        requests = RequestBuilder(spec: spec, homes: [url], access: access, context: context)
        redirects = spec.access.redirects
    }

    /// Returns the best checksum; nil if none was found in time.
    func run() async -> FoundChecksum? {
        guard let name = url.lastPathComponent else { return nil }
        return await within(maximum) { await search(name) } ?? nil
    }

    private func search(_ name: String) async -> FoundChecksum? {
        for group in ChecksumLocation.groups(for: url.lastEncodedComponent) {
            if let found = await best(of: group, for: name) { return found }
            guard !Task.isCancelled else { return nil }
        }
        return nil
    }

    /// Returns the strongest checksum of a group; of several, the one whose location comes first.
    private func best(of group: [ChecksumLocation], for name: String) async -> FoundChecksum? {
        await withTaskGroup(of: (Int, FoundChecksum)?.self) { tasks in
            for (index, location) in group.enumerated() {
                tasks.addTask { await checksum(at: location, for: name).map { (index, $0) } }
            }
            var found: [(Int, FoundChecksum)] = []
            for await each in tasks { if let each { found.append(each) } }
            return found.max {
                ($0.1.checksum.algorithm.strength, -$0.0) < ($1.1.checksum.algorithm.strength, -$1.0)
            }?.1
        }
    }

    private func checksum(at location: ChecksumLocation, for name: String) async -> FoundChecksum? {
        let there = url.sibling(location.name)
        guard let bytes = await fetch(there) else { return nil }
        return location.checksum(of: name, in: bytes).map { FoundChecksum($0, .file(there.redacted)) }
    }

    /// Returns a small file at the same origin; redirects are followed within it.
    private func fetch(_ there: SourceURL) async -> [UInt8]? {
        var way = SideRequestWay(there)
        while way.target.origin == url.origin, way.redirects.count < 5, !Task.isCancelled {
            let plan = way.plan(RangeRequest(offset: 0, usesRange: false))
            let answer = await CollectingSink.send(
                requests.request(for: plan), over: context.transport, limit: ChecksumLocation.limit,
                accepts: Self.isChecksumFile)
            guard let response = answer.response else { return nil }
            if Self.isChecksumFile(response) { return answer.isWhole ? answer.bytes : nil }
            guard
                case .redirect(let location, _, let newCookies, _) = SideRequestWay.read(
                    response, to: plan, requests, context),
                (try? way.follow(location, newCookies: newCookies, redirects)) != nil
            else { return nil }
        }
        return nil
    }

    /// Returns true unless the response is an error, including an error page with the status 200.
    private static func isChecksumFile(_ response: HTTPResponse) -> Bool {
        let fields = response.headerFields
        let type = fields[.contentType]?.lowercased() ?? ""
        let coding = fields[.contentEncoding]?.lowercased() ?? "identity"
        return response.status.code == 200 && !type.contains("html") && coding == "identity"
    }
}

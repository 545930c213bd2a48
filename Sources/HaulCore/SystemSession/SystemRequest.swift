/// The request for a file that the system transfers.
///
/// The system follows redirects without asking, and repeats all headers there. So a download with credentials, or with
/// headers that other hosts must not see, is refused: the guarantee *secrets stay home* could not be kept.
package struct SystemRequest: Hashable, Sendable {
    /// The URL, without user name, password and fragment.
    package var url: String
    /// The headers.
    package var headers: [DownloadSpec.Header]
    /// True if expensive and constrained networks may not be used.
    package var unmeteredOnly: Bool
    /// The label of the task.
    package var label: SessionLabel

    private static let harmless: Set<String> = ["accept", "accept-language", "user-agent"]

    /// Creates the request for a download.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the spec has something that the system can't do.
    package init(_ spec: DownloadSpec, label: SessionLabel) throws(DownloadError) {
        let source = try SourceURL(parsing: spec.url)
        if let problem = Self.problem(spec, source) {
            throw DownloadError(.invalidRequest, "a download of the system session \(problem)")
        }
        url = source.string
        headers = [
            DownloadSpec.Header(name: "Accept", value: "*/*"),
            DownloadSpec.Header(name: "Accept-Encoding", value: "identity"),
        ]
        for header in spec.headers {
            headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
            if !header.value.isEmpty { headers.append(header) }
        }
        unmeteredOnly =
            switch spec.networks {
            case .any: false
            case .unmetered: true
            }
        self.label = label
    }

    /// Returns what the system can't do of a spec, as a predicate.
    private static func problem(_ spec: DownloadSpec, _ source: SourceURL) -> String? {
        if !source.isWeb { return "must have an http or https URL" }
        if spec.range != nil { return "can't have a range" }
        if spec.method != nil || spec.body != nil { return "can't have a method or a body" }
        if source.credentials != nil || spec.user != nil || spec.password != nil || spec.bearerToken != nil
            || spec.netrcPath != nil
        {
            return "can't have a user, a password or a token: the system sends them to other hosts after a redirect"
        }
        if spec.cookiePath != nil || spec.referer != nil { return "can't have cookies or a referer" }
        if let header = spec.headers.first(where: { !harmless.contains($0.name.lowercased()) }) {
            return "can't have the header \(header.name): the system sends it to other hosts after a redirect"
        }
        if spec.insecure { return "can't accept any certificate" }
        if spec.clientCertificatePath != nil { return "can't have a client certificate" }
        if spec.publicAddressesOnly { return "can't be limited to public addresses" }
        if spec.compression != .decode { return "can't be compressed" }
        return nil
    }
}

package import Haul
package import HaulCore

/// The URL of a webhook and the events it receives.
package struct WebhookSettings: Hashable, Sendable {
    /// The URL that messages are posted to: http or https.
    ///
    /// It may itself be a secret, as with many chat services: logs contain only its origin.
    package let url: SourceURL
    /// The events, named as for hook commands.
    package let on: Set<HookEvent>
    /// The file whose first line is the signing secret; nil means that messages are not signed.
    package let secretPath: String?

    /// The default events.
    package static let standard: Set<HookEvent> = [.completed, .failed]

    /// Makes settings.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the URL can't be used.
    package init(url: String, on: Set<HookEvent>? = nil, secretPath: String? = nil) throws(DownloadError) {
        let url = try SourceURL(parsing: url)
        guard ["http", "https"].contains(url.origin.scheme) else {
            throw DownloadError(.invalidRequest, "the webhook URL must be http or https")
        }
        guard url.credentials == nil else {
            throw DownloadError(
                .invalidRequest,
                "the webhook URL must not contain a password: use webhook-secret-file")
        }
        (self.url, self.on, self.secretPath) = (url, on ?? Self.standard, secretPath)
    }

    /// The URL for requests.
    var address: String { url.origin.description + url.path + (url.query.map { "?" + $0 } ?? "") }
}

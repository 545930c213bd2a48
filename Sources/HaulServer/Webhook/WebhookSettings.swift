package import Haul
package import HaulCore

/// Where is told what happens to downloads, and what of it.
package struct WebhookSettings: Hashable, Sendable {
    /// The URL that messages are posted to: http or https.
    ///
    /// It may itself be a secret, as with many chats: no log has more of it than its origin.
    package let url: SourceURL
    /// The occasions, as hook commands have them.
    package let on: Set<HookEvent>
    /// The file whose first line signs the messages; nil: they are not signed.
    package let secretPath: String?

    /// What is told unless something else is asked for.
    package static let standard: Set<HookEvent> = [.completed, .failed]

    /// Makes settings.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where nothing can be posted to the URL.
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

    /// The URL as it is asked for.
    var address: String { url.origin.description + url.path + (url.query.map { "?" + $0 } ?? "") }
}

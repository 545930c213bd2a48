public import HaulCore

/// What a person is told when a download has ended, as plain text without markup.
///
/// Its texts are one line each, hold no control character and nothing that turns the order of letters around, and are short.
public struct DownloadNotification: Hashable, Sendable {
    /// What happened, in two or three words; at most 80 characters.
    public let title: String
    /// What it happened to, and why; at most 300 characters.
    ///
    /// Plain text: who shows it where markup is understood has to escape it.
    public let body: String
    /// Whether it is good news.
    public let kind: Kind
    /// The download.
    public let download: DownloadID
    /// Where the file stands; nil for a failure without one.
    public let path: String?

    /// What can be told.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The file stands complete under its final name.
        case succeeded
        /// It ended without a file.
        case failed
    }

    /// Makes a notification; the texts are made fit, and cut where they are too long.
    public init(title: String, body: String, kind: Kind, download: DownloadID, path: String? = nil) {
        self.title = Self.fit(title, limit: 80)
        self.body = Self.fit(body, limit: 300)
        self.kind = kind
        self.download = download
        self.path = path
    }

    /// Makes what is told of an event, or nil where nobody is told: only a finished or failed download is worth it.
    public init?(_ event: DownloadEvent, snapshot: DownloadSnapshot) {
        switch event.kind {
        case .finished(let facts):
            self.init(
                title: "Download finished", body: Self.lastName(of: facts.path), kind: .succeeded,
                download: event.download, path: facts.path)
        case .failed(let error):
            let name = snapshot.path.map(Self.lastName(of:)) ?? Self.name(ofSource: snapshot.spec.url)
            self.init(
                title: "Download failed", body: "\(name): \(error.message)", kind: .failed, download: event.download,
                path: snapshot.path)
        case .snapshot, .progress, .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .cancelled,
            .removed, .changed:
            return nil
        }
    }

    private static func lastName(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func name(ofSource text: String) -> String {
        guard let url = try? SourceURL(parsing: text) else { return "a download" }
        return url.lastPathComponent ?? url.host
    }

    /// Counted in scalars: one character can hold any number of marks.
    private static func fit(_ text: String, limit: Int) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > limit else { return TerminalText.printable(text) }
        return TerminalText.printable(String(scalars.prefix(limit - 1))) + "…"
    }
}

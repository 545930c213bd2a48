public import HaulCore

/// A notification for the user about the end of a download, as plain text without markup.
///
/// Its texts are short, have one line each, and contain no control characters and no characters that change the
/// direction of text.
public struct DownloadNotification: Hashable, Sendable {
    /// The event, in two or three words; at most 80 characters.
    public let title: String
    /// The name of the file and, after a failure, the reason; at most 300 characters.
    ///
    /// Plain text: escape it if it is shown where markup is interpreted.
    public let body: String
    /// The result of the download.
    public let kind: Kind
    /// The download.
    public let download: DownloadID
    /// The path of the file; nil for a failure without one.
    public let path: String?

    /// The result of a download.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The file is complete and has its final name.
        case succeeded
        /// The download ended without a file.
        case failed
    }

    /// Creates a notification; unsuitable characters are replaced, and long texts are truncated.
    public init(title: String, body: String, kind: Kind, download: DownloadID, path: String? = nil) {
        self.title = Self.fit(title, limit: 80)
        self.body = Self.fit(body, limit: 300)
        self.kind = kind
        self.download = download
        self.path = path
    }

    /// Creates the notification for an event, or nil if the event is not a finished or failed download.
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

    /// Counts scalars, since one character can have any number of combining marks.
    private static func fit(_ text: String, limit: Int) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > limit else { return TerminalText.printable(text) }
        return TerminalText.printable(String(scalars.prefix(limit - 1))) + "…"
    }
}

/// An action that the user can choose in a notification, if the desktop supports that.
package enum NotificationAction: String, Hashable, Sendable, CaseIterable {
    /// Open the file with its program.
    case open
    /// Show the file in its folder.
    case folder
    /// Retry the download.
    case retry

    /// The label of the button.
    package var label: String {
        switch self {
        case .open: "Open"
        case .folder: "Show in folder"
        case .retry: "Retry"
        }
    }
}

extension DownloadNotification {
    /// The actions of the notification, the usual one first.
    package var actions: [NotificationAction] {
        switch kind {
        case .succeeded: path == nil ? [] : [.open, .folder]
        case .failed: [.retry]
        }
    }
}

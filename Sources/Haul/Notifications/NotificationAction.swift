/// What a person can choose at a notification, where the desktop lets them.
package enum NotificationAction: String, Hashable, Sendable, CaseIterable {
    /// Open the file with its program.
    case open
    /// Show the file in its folder.
    case folder
    /// Try the download again.
    case retry

    /// What stands on its button.
    package var label: String {
        switch self {
        case .open: "Open"
        case .folder: "Show in folder"
        case .retry: "Retry"
        }
    }
}

extension DownloadNotification {
    /// What can be chosen at it, the usual first.
    package var actions: [NotificationAction] {
        switch kind {
        case .succeeded: path == nil ? [] : [.open, .folder]
        case .failed: [.retry]
        }
    }
}

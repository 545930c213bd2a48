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

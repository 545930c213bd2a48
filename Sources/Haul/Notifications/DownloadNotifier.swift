/// Tells a person how a download ended.
public protocol DownloadNotifier: Sendable {
    /// Shows a notification as well as it can; a failure to do so is nobody's concern.
    ///
    /// It returns within a few seconds, or when its task is cancelled.
    func notify(_ notification: DownloadNotification) async
}

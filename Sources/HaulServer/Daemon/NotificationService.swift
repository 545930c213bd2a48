import Haul
import HaulCore
import Logging
import ServiceLifecycle

/// The user's choice in a notification.
struct NotificationChoice: Sendable {
    let action: NotificationAction
    let at: DownloadNotification
}

/// Performs the actions that users choose in notifications.
struct NotificationService: Service {
    let choices: AsyncStream<NotificationChoice>
    let manager: DownloadManager
    let opener: FileOpener
    let logger: Logger

    func run() async throws {
        await withDiscardingTaskGroup { tasks in
            for await choice in choices.cancelOnGracefulShutdown() {
                tasks.addTask { await carryOut(choice) }
            }
            tasks.cancelAll()
        }
    }

    private func carryOut(_ choice: NotificationChoice) async {
        do throws(DownloadError) {
            switch (choice.action, choice.at.path) {
            case (.open, let path?): try await opener.open(path)
            case (.folder, let path?): try await opener.show(path)
            case (.open, nil), (.folder, nil): break
            case (.retry, _): try await manager.retry(choice.at.download)
            }
        } catch {
            logger.warning(
                "the action of a notification failed",
                metadata: ["download": "\(choice.at.download)", "action": "\(choice.action)", "error": "\(error)"])
        }
    }
}

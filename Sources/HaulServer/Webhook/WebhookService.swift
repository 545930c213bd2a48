import NIOCore
import ServiceLifecycle

/// Delivers while the daemon works, and for a short while after: the first of the services leaves last, when the list is closed.
struct WebhookService: Service {
    let sender: WebhookSender
    let group: any EventLoopGroup

    /// How long what waits may still take; the daemon has three seconds in all.
    private static let grace = Duration.milliseconds(500)

    func run() async throws {
        let (sender, group) = (sender, group)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await sender.run(on: group) }
            try? await gracefulShutdown()
            sender.finish()
            tasks.addTask { try? await Task.sleep(for: Self.grace) }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}

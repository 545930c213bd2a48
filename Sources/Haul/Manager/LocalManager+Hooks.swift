import HaulCore
import HaulStore
import Logging

/// Hook commands, notifications and the listener, which run after all subscribers have the event.
extension LocalManager {
    func runHooks(_ event: DownloadEvent) {
        guard let hookEvent = HookEvent(event.kind) else { return }
        let isWanted = settings.hooks.contains { $0.on.contains(hookEvent) }
        let notifies = configuration.notifier != nil && (hookEvent == .completed || hookEvent == .failed)
        let hasListener = configuration.listener?.on.contains(hookEvent) == true
        guard isWanted || notifies || hasListener, let record = (try? catalogue.record(event.download)).flatMap(\.self)
        else { return }
        let snapshot = snapshot(of: record)
        if hasListener {
            configuration.listener?.receive(
                HookNotification(hookEvent, time: event.time, event: event, snapshot: snapshot))
        }
        if let hookEvent = HookContext(event, snapshot: snapshot) { hooks.submit(hookEvent, to: settings.hooks) }
        if notifies, let note = DownloadNotification(event, snapshot: snapshot) { mailbox.post(.notify(note)) }
    }
}

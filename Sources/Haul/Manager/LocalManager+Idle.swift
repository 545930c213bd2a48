import HaulCore

/// Having nothing to do.
extension LocalManager {
    /// Whether nothing runs and nothing will by itself: what is left is paused, waits for the caller, or has ended.
    var isIdle: Bool { live.isEmpty && counts[.queued, default: 0] == 0 && counts[.active, default: 0] == 0 }

    func idle() async {
        while !Task.isCancelled, let changeCount = changes.changeCount, !isIdle { await changes.wait(after: changeCount) }
    }

    /// Has hook commands run once each time that nothing is left to do.
    func lookForIdleness() {
        if isIdle, !wasIdle {
            let time = WallClock.milliseconds().date
            hooks.submit(.idle(time: time), to: settings.hooks)
            if let listener = configuration.listener, listener.on.contains(.idle) {
                listener.receive(HookNotification(.idle, time: time))
            }
        }
        wasIdle = isIdle
    }
}

import HaulCore

/// Having nothing to do.
extension DownloadManager {
    /// Whether nothing runs and nothing will by itself: what is left is paused, waits for the caller, or has ended.
    var isIdle: Bool { live.isEmpty && counts[.queued, default: 0] == 0 && counts[.active, default: 0] == 0 }

    /// Returns when nothing runs and nothing will by itself; at once where it is so already, or when the task is cancelled.
    public func idle() async {
        nextToken += 1
        let token = nextToken
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isIdle || isClosing || Task.isCancelled { return continuation.resume() }
                idlers[token] = continuation
            }
        } onCancel: {
            Task { await self.leave(token) }
        }
    }

    private func leave(_ token: UInt64) { idlers.removeValue(forKey: token)?.resume() }

    func releaseIdlers() {
        let waiting = idlers.values
        idlers = [:]
        for waiter in waiting { waiter.resume() }
    }

    /// Tells those who wait for it, once each time that it becomes so.
    func lookForIdleness() {
        if isIdle {
            releaseIdlers()
            if !wasIdle { runIdleHooks() }
        }
        wasIdle = isIdle
    }
}

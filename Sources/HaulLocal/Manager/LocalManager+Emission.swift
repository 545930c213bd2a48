import HaulCore
import HaulEngine
import HaulFiles
import HaulManager
import HaulStore
import Logging

/// Conversion of the lifecycle's results to stored states and events.
extension LocalManager {
    /// Returns the status that the catalogue stores for a step.
    func status(_ step: Step) -> StoredStatus {
        let live = live[step.id]
        switch step.after.state {
        case .queued: return step.discardsBeforeRun ? .cancelled(keptPartial: false) : .queued
        case .active: return .active
        case .paused: return .paused(.asked)
        case .held:
            guard !step.effects.contains(.emit(.credentials)) else { return .held(.credentials) }
            return .held(.linkExpired(live?.failure ?? .missing))
        case .finished: return .finished(live?.finish ?? .missing)
        case .failed: return .failed(live?.failure ?? .missing)
        case .cancelled: return .cancelled(keptPartial: keepsPartial(step))
        }
    }

    private func keepsPartial(_ step: Step) -> Bool {
        switch step.after.run {
        case .stopping(.discard): return false
        // If the process dies before the run has ended, the next launch must not remove what the removal keeps.
        case .stopping(.remove(let files)): return files == .none
        case .stopping(.rest), .going, .none: return !step.effects.contains(.emit(.cancelled(keptPartial: false)))
        }
    }

    /// Returns the event for what the lifecycle emitted.
    func kind(_ emitted: Lifecycle.Emission, of id: DownloadID) -> DownloadEvent.Kind {
        let live = live[id]
        switch emitted {
        case .paused: return .paused(.asked)
        case .resumed: return .resumed
        case .cancelled(let kept): return .cancelled(keptPartial: kept)
        case .finished: return .finished(live?.finish ?? .missing)
        case .failed: return .failed(live?.failure ?? .missing)
        case .held: return .waiting(.linkExpired(live?.failure ?? .missing), until: nil)
        case .credentials: return .waiting(.credentials, until: nil)
        case .short where live?.leavesMetered == true: return .waiting(.meteredNetwork, until: nil)
        case .short where live?.failure?.detail == .noNetwork: return .waiting(.network, until: nil)
        case .short where live?.failure?.code == .tooManyFiles: return .waiting(.openFiles, until: nil)
        case .short: return .waiting(.space(bytes: (live?.shortage ?? .unknown).missing), until: nil)
        case .interrupted: return .waiting(.start, until: nil)
        case .sourceReplaced: return .sourceReplaced
        }
    }
}

extension DownloadError {
    /// A placeholder for an error that should be known; seeing it is a bug.
    static let missing = DownloadError(.internal, "the cause was not recorded; this is a bug in Haul")

    /// Creates the error for a refused command.
    init(_ refusal: Lifecycle.Refusal, of id: DownloadID) {
        let reason =
            switch refusal {
            case .isFinished: "it is finished: remove it, or retry to download it again"
            case .hasFailed: "it has failed: retry it"
            case .isCancelled: "it was cancelled: retry it"
            case .needsSource: "it needs a new link, or its headers, password or body again"
            case .isStopping: "its files are being removed"
            case .isRunning: "it is running: pause it first"
            }
        self.init(.notPossible, "not possible for download \(id): \(reason)")
    }
}

extension FinishFacts {
    /// A placeholder for facts that should be known; seeing it is a bug.
    static let missing = FinishFacts(path: "", totalBytes: 0, sessionBytes: 0, seconds: 0, verified: nil, kept: false)
}

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

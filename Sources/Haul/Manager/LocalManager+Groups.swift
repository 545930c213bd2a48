import HaulCore
import HaulStore

/// What can be asked of all downloads, of a group, or of any others that a filter finds.
extension LocalManager {
    func perform(_ verb: DownloadVerb, on filter: DownloadFilter) async throws(DownloadError) -> Int {
        // One whose files are just being removed takes no command until they are gone.
        for id in live.keys.sorted() { try await unoccupied(id) }
        let changed = try command(filter, of: verb.states, verb.command)
        for id in changed where live[id] != nil { try await settled(id) }
        return changed.count
    }
}

extension DownloadVerb {
    /// The lifecycle's word for it.
    var command: Lifecycle.Command {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel(let keepPartial): .cancel(keepPartial: keepPartial)
        case .remove(let files): .remove(files)
        case .retry(let fromStart): .retry(fromStart: fromStart)
        }
    }

    /// The states of those that it fits, where many are asked.
    var states: [StoredState] {
        switch self {
        case .pause: [.queued, .active]
        case .resume: [.paused]
        case .cancel(keepPartial: true): [.queued, .active, .paused, .held, .failed]
        case .cancel(keepPartial: false): [.queued, .active, .paused, .held, .failed, .cancelled]
        case .remove: StoredState.allCases
        case .retry: [.failed, .cancelled]
        }
    }
}

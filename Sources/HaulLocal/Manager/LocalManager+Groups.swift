import HaulCore
import HaulManager
import HaulStore

/// Commands for all downloads that match a filter.
extension LocalManager {
    func perform(_ verb: DownloadVerb, on filter: DownloadFilter) async throws(DownloadError) -> Int {
        // A download whose files are being removed accepts no command until they are gone.
        for id in live.keys.sorted() { try await unoccupied(id) }
        let changed = try command(filter, of: verb.states, verb.command)
        for id in changed where live[id] != nil { try await settled(id) }
        return changed.count
    }
}

extension DownloadVerb {
    /// The lifecycle's command.
    var command: Lifecycle.Command {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel(let keepPartial): .cancel(keepPartial: keepPartial)
        case .remove(let files): .remove(files)
        case .retry(let fromStart): .retry(fromStart: fromStart)
        }
    }

    /// The states that the command applies to if it is given to many downloads.
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

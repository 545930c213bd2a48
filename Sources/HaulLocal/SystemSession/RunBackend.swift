package import HaulCore
package import HaulEngine
import HaulStore

/// The performer of a manager's runs, if that is not the engine of the process alone.
///
/// The list, the queue, the events and the commands are the manager's own in any case.
package protocol RunBackend: AnyObject, Sendable {
    /// Returns the capabilities of a manager over it.
    func capabilities(_ own: Capabilities) -> Capabilities
    /// Finds out what an earlier process has left, before the first run.
    ///
    /// - Parameter standing: Returns what the list says of a download; called on any thread, and blocks.
    func open(_ standing: @escaping @Sendable (DownloadID) -> SessionMachine.Standing) async
    /// Runs a download to its end, or until it is asked to stop.
    func run(
        _ id: DownloadID, _ spec: DownloadSpec, _ options: RunOptions, _ engine: DownloadEngine,
        until stop: OneShotEvent, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError>
    /// Removes whatever there is of a download without a run, apart from the engine's files.
    func discard(_ id: DownloadID)
    /// Leaves the running downloads to the system from now on: their runs end, the transfers do not.
    func leave()
}

extension Catalogue {
    /// Returns what the list says of a download; if it can't be read, what there is of the download is kept.
    func standing(of id: DownloadID) -> SessionMachine.Standing {
        let record: StoredRecord?
        do throws(DownloadError) { record = try self.record(id) } catch { return .kept }
        return switch record?.status {
        case .queued, .active: .wanted
        case .paused, .held, .failed, .cancelled(keptPartial: true): .kept
        case .finished, .cancelled(keptPartial: false), nil: .gone
        }
    }
}

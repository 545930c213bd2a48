import HaulCore
import HaulStore
import Synchronization

/// The output of a run: path, size, and identity of the file.
struct RunOutput: Hashable, Sendable {
    var path: String
    var totalBytes: Int64?
    var file: FileIdentity?

    /// The change for the catalogue.
    var change: RecordChange.Kind { .targetPath(path, totalBytes: totalBytes, fileID: file) }
}

extension RunOutput {
    /// Creates the output known at the start of a run.
    init(_ facts: StartFacts) { self.init(path: facts.path, totalBytes: facts.totalBytes, file: facts.partial) }
}

/// The output of one run, as recorded in the catalogue.
///
/// The start of a run is posted to the manager's loop, and the run does not wait for it, so a short run may rename its
/// file first. If the process were killed then, the owner of that file would be unknown. The run itself therefore
/// records the output, on the thread of its files, if the loop has not done so, or if the size was not known then. The
/// lock is held while either of them records, so that values from the start never replace those from the end.
final class OutputRecord: Sendable {
    private let recorded = Mutex<RunOutput?>(nil)

    /// Records the output at the start of the run; called by the loop.
    ///
    /// - Parameter record: Records the change, nil if the run itself was faster; returns true if it succeeded.
    func begin(_ output: RunOutput, _ record: (RecordChange.Kind?) -> Bool) {
        recorded.withLock { recorded in
            guard recorded == nil else {
                _ = record(nil)
                return
            }
            if record(output.change) { recorded = output }
        }
    }

    /// Records the output just before the file gets its final name.
    ///
    /// - Parameter record: Records the change, which costs a transaction; returns true if it succeeded. It is called
    ///   only if needed.
    func end(_ output: RunOutput, _ record: (RecordChange.Kind) -> Bool) {
        recorded.withLock { recorded in
            guard recorded != output else { return }
            if record(output.change) { recorded = output }
        }
    }
}

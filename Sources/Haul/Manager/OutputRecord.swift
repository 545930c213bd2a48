import HaulCore
import HaulStore
import Synchronization

/// Where a run puts its file, how large that is, and which it is.
struct RunOutput: Hashable, Sendable {
    var path: String
    var totalBytes: Int64?
    var file: FileIdentity?

    /// As the catalogue keeps it.
    var change: RecordChange.Kind { .targetPath(path, totalBytes: totalBytes, fileID: file) }
}

extension RunOutput {
    /// What is known at the start.
    init(_ facts: StartFacts) { self.init(path: facts.path, totalBytes: facts.totalBytes, file: facts.partial) }
}

/// What the catalogue knows of the place of one run.
///
/// The start of a run is mailed to the manager's loop, and the run does not wait for it: a short one may give its file the final name
/// first. Were the process killed then, nobody would know whose that file is. So the run itself looks, on the thread of its files, and
/// records the place where the loop has not, or where the size was not known yet. The lock is held while either records, so that what
/// was known at the start never replaces what is known at the end.
final class OutputRecord: Sendable {
    private let recorded = Mutex<RunOutput?>(nil)

    /// The loop has heard of the start.
    ///
    /// - Parameter record: Records the change, nil where the run itself was faster; returns whether it could.
    func begin(_ output: RunOutput, _ record: (RecordChange.Kind?) -> Bool) {
        recorded.withLock { recorded in
            guard recorded == nil else {
                _ = record(nil)
                return
            }
            if record(output.change) { recorded = output }
        }
    }

    /// The file is about to get its final name.
    ///
    /// - Parameter record: Records the change, which costs a transaction; returns whether it could. It is called only where it has to be.
    func end(_ output: RunOutput, _ record: (RecordChange.Kind) -> Bool) {
        recorded.withLock { recorded in
            guard recorded != output else { return }
            if record(output.change) { recorded = output }
        }
    }
}

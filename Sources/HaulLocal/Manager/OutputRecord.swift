import Dispatch
import HaulCore
import HaulEngine
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
/// file first. If the process were killed then, the owner of that file would be unknown. So the run waits, before it
/// names its file, until the loop has recorded the output; the loop handles messages of one run in their order. Only
/// the loop changes the value.
final class OutputRecord: Sendable {
    private let recorded = Mutex<RunOutput?>(nil)

    /// Returns true if this output is recorded.
    func has(_ output: RunOutput) -> Bool { recorded.withLock { $0 == output } }

    /// Stores that an output is recorded.
    func set(_ output: RunOutput) { recorded.withLock { $0 = output } }
}

extension Mailbox<ManagerMessage> {
    /// Waits until the output of a run is recorded; blocks.
    ///
    /// If the catalogue can't be written, the end of the run records it.
    func recordBlocking(_ output: RunOutput, of id: DownloadID, _ placed: OutputRecord) {
        guard !placed.has(output) else { return }
        let semaphore = DispatchSemaphore(value: 0)
        post(.naming(id, output, .thread(semaphore)))
        semaphore.wait()
    }

    /// Waits until the output of a run is recorded.
    func record(_ output: RunOutput, of id: DownloadID, _ placed: OutputRecord) async {
        guard !placed.has(output) else { return }
        await withCheckedContinuation { post(.naming(id, output, .task($0))) }
    }
}

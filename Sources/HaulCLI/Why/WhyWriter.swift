import Dispatch
import HaulCore
import HaulLibC
import Synchronization

/// Writes the record of an active run from time to time, starting when it has run for a second.
package final class WhyWriter: Sendable {
    private let watch: GetWatch
    private let folder: WhyFolder?
    private let began: Int64
    private let begin = ContinuousClock.now
    private let queue = DispatchQueue(label: "haul.why", qos: .utility)
    private let state = Mutex((hasWritten: false, isOver: false))

    /// The minimum duration of a run; nothing is written for shorter ones.
    private static let minimum: Duration = .seconds(1)

    /// Makes the writer of a run; without a folder it writes nothing.
    ///
    /// - Parameter began: The start time, in milliseconds since 1970.
    package init(_ watch: GetWatch, folder: WhyFolder?, began: Int64) {
        self.watch = watch
        self.folder = folder
        self.began = began
    }

    /// Makes the writer of a plan that starts now.
    convenience init(_ watch: GetWatch, _ plan: GetPlan) {
        let folder = plan.keepsRecord ? WhyFolder(.process) : nil
        self.init(watch, folder: folder, began: Self.milliseconds())
    }

    /// Starts to write.
    package func start() {
        if folder != nil { writeLater(Self.minimum) }
    }

    private func writeLater(_ pause: Duration) {
        queue.asyncAfter(deadline: .now() + pause.seconds) { [self] in
            guard !state.withLock({ $0.isOver }) else { return }
            write(isOver: false)
            // A longer run is written less often: every two seconds, later after a twentieth of its age, at most every
            // 30 seconds.
            writeLater(min(max(.seconds(2), (ContinuousClock.now - begin) / 20), .seconds(30)))
        }
    }

    /// Writes the last record, and returns it.
    package func end() async -> GetRecord {
        state.withLock { $0.isOver = true }
        // A short run needs no thread for it.
        guard folder != nil, ContinuousClock.now - begin >= Self.minimum else { return record(isOver: true) }
        return await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: write(isOver: true)) }
        }
    }

    /// Returns milliseconds since 1970: clock_gettime(2).
    private static func milliseconds() -> Int64 {
        var time = timespec()
        // Unsafe: the kernel writes one `timespec`, which outlives the call.
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    @discardableResult
    private func write(isOver: Bool) -> GetRecord {
        let record = record(isOver: isOver)
        folder?.write(record)
        if !state.withLock({ state in
            defer { state.hasWritten = true }
            return state.hasWritten
        }) {
            folder?.tidy()
        }
        return record
    }

    private func record(isOver: Bool) -> GetRecord {
        let age = Int64((ContinuousClock.now - begin) / .milliseconds(1))
        return watch.record(process: getpid(), began: began, updated: began + age, isOver: isOver)
    }
}

public import HaulCore
import Synchronization

/// Watches one run of a download, and reports at any time what limits it.
///
///     let watch = TransferWatch()
///     async let result = engine.run(spec, watch: watch) { _ in }
///     print(watch.explanation?.factors.first)
///
/// Watching costs a few additions per request and per tenth of a second, and nothing per byte. The processor statistics
/// are read when the first run begins, and at most five times a second for all runs of the process together.
public final class TransferWatch: Sendable {
    private let recording = Mutex<TransferRecording?>(nil)
    private let picture = Mutex<SegmentPicture?>(nil)

    /// Creates a watch, for one run.
    public init() {}

    /// The present record of the run; nil before it has begun.
    public var record: TransferRecord? { recording.withLock { $0?.record } }

    /// The factors that limit the run, or limited it; nil before it has begun.
    public var explanation: Explanation? { record.map { Explanation($0) } }

    /// The time that the run has spent on each activity so far; nil before it has begun.
    ///
    /// Cheaper than `record`.
    public var times: TransferTimes? { recording.withLock { $0?.kept.times } }

    /// The number of bytes received so far.
    public var receivedBytes: Int64 { recording.withLock { $0?.kept.receivedBytes ?? 0 } }

    /// The segments of the run, as of the last tenth of a second; empty before the first.
    public var segments: [DownloadSegment] { picture.withLock { $0 }?.segments ?? [] }

    func begin(_ configuration: MachineConfiguration) {
        var fresh = TransferRecording(configuration)
        if let sample = ProcessorMeter.shared.sample() { fresh.processor(sample, ProcessorMeter.shared.limits) }
        recording.withLock { [fresh] in $0 = fresh }
    }

    /// Records a run that was complete after one response.
    func took(_ configuration: MachineConfiguration, _ bytes: Int64, received: Double, seconds: Double) {
        let brief = TransferRecording(configuration, whole: bytes, received: received, seconds: seconds)
        recording.withLock { $0 = brief }
    }

    func goes(through proxy: String) { recording.withLock { $0?.goes(through: proxy) } }

    func observe(_ event: MachineEvent, _ effects: [MachineEffect], _ machine: DownloadMachine, now: Duration) {
        var sample: ProcessorSample?
        if case .tick = event {
            sample = ProcessorMeter.shared.sample()
            let seen = SegmentPicture(machine)
            picture.withLock { $0 = seen }
        }
        recording.withLock { recording in
            recording?.observe(event, effects, machine, now: now)
            if let sample { recording?.processor(sample, ProcessorMeter.shared.limits) }
        }
    }
}

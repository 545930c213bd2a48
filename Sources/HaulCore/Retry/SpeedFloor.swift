/// Detects a download below the minimum speed.
///
/// The average is over a sliding window that restarts whenever the download is not receiving: pauses before an attempt,
/// and Haul's own throttling, say nothing about the server.
struct SpeedFloor: Hashable, Sendable {
    enum Finding: Hashable, Sendable {
        /// The window is not full yet.
        case unknown
        case fast
        case slow
    }

    private struct Sample: Hashable, Sendable {
        var time: Duration
        var bytes: Int64
    }

    /// The number of samples in a window.
    private static let samples = 32

    private let minimum: MinimumSpeed
    private var window: [Sample] = []

    init(_ minimum: MinimumSpeed) { self.minimum = minimum }

    /// Records the number of bytes received so far.
    mutating func observe(_ bytes: Int64, isReceiving: Bool, now: Duration) -> Finding {
        guard isReceiving else {
            window = []
            return .unknown
        }
        let length = Duration.seconds(minimum.seconds)
        guard let last = window.last, let first = window.first else {
            window = [Sample(time: now, bytes: bytes)]
            return .unknown
        }
        guard now - last.time >= length / Self.samples else { return .unknown }
        window.append(Sample(time: now, bytes: bytes))
        guard now - first.time >= length else { return .unknown }
        let seconds = (now - first.time).seconds
        // Keeps the oldest sample that is still needed: the next one is younger than the window.
        while window.count > 2, now - window[1].time >= length { window.removeFirst() }
        return Double(bytes - first.bytes) < Double(minimum.bytesPerSecond) * seconds ? .slow : .fast
    }
}

/// Finds out whether a download is slower than it has to be.
///
/// The average is over a sliding window that begins again whenever the download is not receiving: the pause before an attempt, and what
/// Haul itself holds back, say nothing about the server.
struct SpeedFloor: Hashable, Sendable {
    enum Finding: Hashable, Sendable {
        /// The window is not over yet.
        case unknown
        case fast
        case slow
    }

    private struct Sample: Hashable, Sendable {
        var time: Duration
        var bytes: Int64
    }

    /// The number of samples that a window is divided into.
    private static let samples = 32

    private let minimum: MinimumSpeed
    private var window: [Sample] = []

    init(_ minimum: MinimumSpeed) { self.minimum = minimum }

    /// Takes the number of bytes that have come so far.
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
        // The oldest sample that is still needed: the next one is younger than the window.
        while window.count > 2, now - window[1].time >= length { window.removeFirst() }
        return Double(bytes - first.bytes) < Double(minimum.bytesPerSecond) * seconds ? .slow : .fast
    }
}

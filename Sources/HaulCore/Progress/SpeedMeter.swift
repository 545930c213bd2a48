/// Speed out of byte counts: an average that forgets, with a time constant of about two seconds.
package struct SpeedMeter: Hashable, Sendable {
    private let timeConstant: Double
    private var lastTime: Duration?
    private var lastBytes: Int64 = 0
    private var weight: Double = 0
    private var weighted: Double = 0

    /// Makes a meter.
    package init(timeConstant: Duration = .seconds(2)) { self.timeConstant = timeConstant.seconds }

    /// Bytes per second; 0 before the second sample.
    package var speed: Double { weight > 0 ? weighted / weight : 0 }

    /// Adds a sample: so many bytes in all, by now.
    ///
    /// Times must not go back; equal times are ignored.
    package mutating func add(_ bytes: Int64, at now: Duration) {
        guard let last = lastTime else {
            lastTime = now
            lastBytes = bytes
            return
        }
        let seconds = (now - last).seconds
        guard seconds > 0 else { return }
        // Weights that fade with time, kept beside the sum, make the first samples count in full instead of rising from 0.
        let fade = 1 / (1 + seconds / timeConstant)
        weighted = weighted * fade + Double(max(0, bytes - lastBytes))
        weight = weight * fade + seconds
        lastTime = now
        lastBytes = bytes
    }
}

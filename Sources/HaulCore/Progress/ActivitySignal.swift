/// Whether downloads are at work, as an indicator shows it: calm, without flicker at the start or between two downloads.
///
/// It turns on after a download was running for 1.0 s without a break, and off after none was for 0.17 s.
package struct ActivitySignal: Hashable, Sendable {
    /// How long a download has to run until the signal turns on.
    package static let delayOn = Duration.seconds(1)
    /// How long none has to run until the signal turns off.
    package static let delayOff = Duration.milliseconds(170)

    private var isOn = false
    private var isBusy = false
    /// When the first download began to run, or the last one ended.
    private var since = Duration.zero

    /// Makes a signal that is off, for no running download.
    package init() {}

    /// Takes in the number of running downloads at a time, and says whether the signal is on at that time.
    ///
    /// The number counts from this time on; up to it the one told before does. Times must not go back; they may
    /// be measured from any start.
    package mutating func update(running: Int, now: Duration) -> Bool {
        if let change = nextChange(now: now), change <= now {
            isOn = isBusy
        }
        if isBusy != (running > 0) {
            (isBusy, since) = (running > 0, now)
        }
        return isOn
    }

    /// The time, `now` or later, at which the signal changes if the number of running downloads does not; nil: never.
    package func nextChange(now: Duration) -> Duration? {
        isOn == isBusy ? nil : max(now, since + (isBusy ? Self.delayOn : Self.delayOff))
    }
}

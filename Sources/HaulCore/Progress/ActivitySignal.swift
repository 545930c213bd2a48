/// The on/off state of an activity indicator, without flicker at the start or between two downloads.
///
/// It turns on after downloads have run for 1.0 s without a break, and off after none has run for 0.17 s.
package struct ActivitySignal: Hashable, Sendable {
    /// The time for which a download must run before the signal turns on.
    package static let delayOn = Duration.seconds(1)
    /// The time for which no download must run before the signal turns off.
    package static let delayOff = Duration.milliseconds(170)

    private var isOn = false
    private var isBusy = false
    /// The time when the first download started, or the last one ended.
    private var since = Duration.zero

    /// Makes a signal that is off.
    package init() {}

    /// Records the number of running downloads and returns true if the signal is on.
    ///
    /// The number counts from `now` on; until then the previous number does. Times must not go back; they may be
    /// measured from any start.
    package mutating func update(running: Int, now: Duration) -> Bool {
        if let change = nextChange(now: now), change <= now {
            isOn = isBusy
        }
        if isBusy != (running > 0) {
            (isBusy, since) = (running > 0, now)
        }
        return isOn
    }

    /// Returns the time, `now` or later, at which the signal changes if the number of running downloads does not, or
    /// nil if it does not change.
    package func nextChange(now: Duration) -> Duration? {
        isOn == isBusy ? nil : max(now, since + (isBusy ? Self.delayOn : Self.delayOff))
    }
}

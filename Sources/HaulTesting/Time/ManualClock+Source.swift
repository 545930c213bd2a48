import Dispatch
package import HaulLibC

extension ManualClock {
    /// The clock as engines and managers use it.
    package var source: TimeSource {
        let base = base
        return TimeSource(
            TimeSource.Substitute(
                now: { base + self.now.offset },
                milliseconds: { self.date.milliseconds },
                sleep: { try await self.sleep(until: Instant($0 - base)) }))
    }
}

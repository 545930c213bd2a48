#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The time of day.
package enum WallClock {
    /// Returns the seconds since 1970, and the seconds by which local time is ahead of UTC then: localtime_r(3).
    package static func timeOfDay() -> (instant: Int64, utcOffset: Int) {
        let instant = now()
        var seconds = time_t(instant)
        var parts = unsafe tm()
        // Unsafe: both values outlive the call, which reads one and writes the other.
        guard unsafe localtime_r(&seconds, &parts) != nil else { return (instant, 0) }
        return unsafe (instant, Int(parts.tm_gmtoff))
    }

    /// Returns the seconds since 1970.
    package static func now() -> Int64 { milliseconds() / 1000 }

    /// Returns the milliseconds since 1970.
    package static func milliseconds() -> Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
}

extension Int64 {
    /// The date that is this number of milliseconds after 1970.
    package var date: Date { Date(timeIntervalSince1970: Double(self) / 1000) }
}

extension Date {
    /// The milliseconds since 1970, clamped to a safe range.
    package var milliseconds: Int64 { Int64(min(max(timeIntervalSince1970 * 1000, -9e15), 9e15)) }
}

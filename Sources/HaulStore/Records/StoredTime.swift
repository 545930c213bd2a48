#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times in the database: milliseconds since 1970.
enum StoredTime {
    /// Returns the milliseconds of a date; unrealistic dates are clamped to ten thousand years.
    static func milliseconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970
        guard !seconds.isNaN else { return 0 }
        return Int64((min(max(seconds, -limit), limit) * 1000).rounded())
    }

    /// Returns the date for milliseconds.
    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    private static let limit = 3.2e11
}

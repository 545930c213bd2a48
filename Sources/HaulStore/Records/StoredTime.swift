#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times as the database holds them: milliseconds since 1970.
enum StoredTime {
    /// The milliseconds of a date; dates that no clock shows are clamped to ten thousand years.
    static func milliseconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970
        guard !seconds.isNaN else { return 0 }
        return Int64((min(max(seconds, -limit), limit) * 1000).rounded())
    }

    /// The date of milliseconds.
    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    private static let limit = 3.2e11
}

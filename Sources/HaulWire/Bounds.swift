package import HaulCore

/// The valid ranges of numbers in requests.
package enum Bounds {
    /// The maximum rate limit: a terabyte per second.
    package static let maxRate = DownloadSpec.Transfer.maxRate

    /// Returns the value if it is in a range.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the range.
    package static func check<Value: Comparable>(
        _ value: Value, _ range: ClosedRange<Value>, _ name: String
    ) throws(DownloadError) -> Value {
        guard range.contains(value) else {
            throw DownloadError(
                .invalidRequest, "\(name) must be from \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
        return value
    }

    /// Returns a duration that is more than zero and at most a day.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package static func seconds(_ seconds: Double, _ name: String) throws(DownloadError) -> Duration {
        .milliseconds(Int64((try check(seconds, 0.001...86_400, name) * 1000).rounded()))
    }
}

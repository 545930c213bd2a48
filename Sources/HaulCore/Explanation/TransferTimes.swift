/// Where the time of a run went, in seconds: each instant counts in one place, and together they are the run.
public struct TransferTimes: Hashable, Sendable, Codable {
    /// No answer was there yet, and at least one was waited for.
    public var asking = 0.0
    /// Bytes came.
    public var receiving = 0.0
    /// An answer was under way, but no byte came.
    public var silent = 0.0
    /// Nothing was asked, as the server said to come back later or an attempt had failed.
    public var waiting = 0.0
    /// The digest was computed, behind the last byte.
    public var verifying = 0.0
    /// The file was looked for, opened, synced and named.
    public var files = 0.0

    /// Makes times of nothing.
    public init() {}

    /// All of them.
    public var total: Double { asking + receiving + silent + waiting + verifying + files }
}

/// What a run is busy with at an instant.
package enum TransferActivity: Hashable, Sendable, CaseIterable {
    /// See the fields of `TransferTimes`.
    case asking, receiving, waiting, verifying, files, over

    /// Where its time is counted; nil: nowhere.
    var times: WritableKeyPath<TransferTimes, Double>? {
        switch self {
        case .asking: \.asking
        case .receiving: \.receiving
        case .waiting: \.waiting
        case .verifying: \.verifying
        case .files: \.files
        case .over: nil
        }
    }
}

import HaulCore

extension StoredState {
    /// The number of the state in the database.
    ///
    /// Numbers are added, never changed.
    var number: Int64 {
        switch self {
        case .queued: 0
        case .active: 1
        case .paused: 2
        case .held: 3
        case .finished: 4
        case .failed: 5
        case .cancelled: 6
        }
    }

    /// Creates the state with a number.
    init?(number: Int64) {
        guard let state = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = state
    }
}

import HaulCore

extension StoredState {
    /// The number that stands for it in the database: never changed, only added to.
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

    /// The state of a number.
    init?(number: Int64) {
        guard let state = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = state
    }
}

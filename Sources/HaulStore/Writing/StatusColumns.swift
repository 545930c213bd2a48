import HaulCore

/// The data associated with a state, as columns of `download`: NULL for data of other states.
struct StatusColumns {
    private var pause: PauseReason?
    private var hold: String?
    private var error: String?
    private var finish: String?
    private var kept: Int64?
    private var targetPath: String?
    private var total: Int64?

    /// Creates the columns of a state.
    init(_ status: StoredStatus, _ encoder: inout FactsEncoder) throws {
        switch status {
        case .queued, .active: break
        case .paused(let reason): pause = reason
        case .held(.credentials): hold = "credentials"
        case .held(.linkExpired(let error)):
            hold = "linkExpired"
            self.error = try StoredJSON.text(error)
        case .finished(let facts):
            finish = try encoder.text(facts)
            targetPath = facts.path
            total = facts.totalBytes
        case .failed(let error): self.error = try StoredJSON.text(error)
        case .cancelled(let keptPartial): kept = keptPartial ? 1 : 0
        }
    }

    /// Binds pause, hold, error, finish, kept, target path and total, beginning at a parameter.
    func bind(to statement: BoundStatement, from first: Int32) {
        statement.bind(pause?.rawValue, first)
        statement.bind(hold, first + 1)
        statement.bind(error, first + 2)
        statement.bind(finish, first + 3)
        statement.bind(kept, first + 4)
        statement.bind(targetPath, first + 5)
        statement.bind(total, first + 6)
    }
}

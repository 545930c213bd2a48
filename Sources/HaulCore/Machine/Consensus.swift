/// Whether the servers behind one name agree on which version a file is of, and understand `If-Range`.
///
/// An answer with other validators but the same size may be of a changed file, or come from one of several servers whose tags or dates
/// differ. A change happens once and is never taken back. So the file is asked for again, without `If-Range`, until the known version
/// comes once more (then the servers disagree) or until the other one has come often enough to be a new version. No byte of an answer
/// that contradicts the known version is ever used: equal bytes before a join would not show that those behind it are equal.
package struct Consensus: Hashable, Sendable {
    /// Whether `If-Range` is sent; where it does harm, the validator of each answer is compared instead.
    private(set) var usesIfRange = true
    /// Whether the known version came again after another one.
    private(set) var serversDisagree = false
    /// The first request that was sent after another version had come.
    private var doubtFrom: Int?
    /// Answers of another version since then, without one of the known version between them.
    private(set) var others = 0

    /// What an answer of another version means.
    package enum Verdict: Hashable, Sendable {
        /// It is not known yet, or another server will do: ask again.
        case askAgain
        /// The file is another one now.
        case changed
    }

    /// This many answers in a row of another version are a change: by chance, one in 64 of two servers that disagree is taken for it.
    static let enough = 6
    /// The same if the date is another one, too.
    static let enoughWithDate = 4
    /// The same if the servers are known to disagree.
    static let enoughBetweenServers = 24

    /// A request that carried `If-Range` got the whole of the known version.
    mutating func ifRangeWasMisread() { usesIfRange = false }

    /// An answer of another version came.
    ///
    /// - Parameters:
    ///   - fetch: the request's number.
    ///   - next: the number of the next request.
    ///   - hasOtherDate: whether its Last-Modified differs as well.
    mutating func receivedOther(_ fetch: Int, next: Int, hasOtherDate: Bool) -> Verdict {
        usesIfRange = false
        guard let doubtFrom else {
            self.doubtFrom = next
            return .askAgain
        }
        // What was asked before does not tell whether the known version is still there.
        guard fetch >= doubtFrom else { return .askAgain }
        others += 1
        let limit = serversDisagree ? Self.enoughBetweenServers : hasOtherDate ? Self.enoughWithDate : Self.enough
        return others >= limit ? .changed : .askAgain
    }

    /// An answer of the known version came.
    mutating func receivedKnown(_ fetch: Int) {
        guard let doubtFrom, fetch >= doubtFrom else { return }
        serversDisagree = true
        others = 0
    }
}

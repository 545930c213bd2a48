/// Decides whether the servers behind one name agree on the version of a file, and whether they implement `If-Range`
/// correctly.
///
/// A response with different validators but the same size may belong to a changed file, or come from one of several
/// servers whose entity tags or dates differ. A change happens once and is never reverted. So the file is requested
/// again, without `If-Range`, until either the known version is returned once more (the servers disagree), or the other
/// version was returned often enough to be a new one. No byte of a response that contradicts the known version is ever
/// used: equal bytes before the join would not prove that the bytes after it are equal.
package struct Consensus: Hashable, Sendable {
    /// True if `If-Range` is sent.
    ///
    /// If it does harm, the validators of each response are compared instead.
    private(set) var usesIfRange = true
    /// True if the known version was returned again after another one.
    private(set) var serversDisagree = false
    /// The number of the first request that was sent after another version was returned.
    private var doubtFrom: Int?
    /// True after a response of another version: a response that does not identify its version may be of that one, too.
    var isInDoubt: Bool { doubtFrom != nil }
    /// The number of responses of another version since then, without one of the known version in between.
    private(set) var others = 0

    /// True if the last responses were of another version.
    var isChanging: Bool { isInDoubt && (others > 0 || !serversDisagree) }

    /// The meaning of a response of another version.
    package enum Verdict: Hashable, Sendable {
        /// Not known yet, or another server may have the known version: repeat the request.
        case askAgain
        /// The file has changed.
        case changed
    }

    /// The number of consecutive responses of another version that count as a change.
    ///
    /// With two servers that disagree, one case in 64 is mistaken for a change.
    static let enough = 6
    /// The same limit if `Last-Modified` differs as well.
    static let enoughWithDate = 4
    /// The same limit if the servers are known to disagree.
    static let enoughBetweenServers = 24

    /// Records that a request with `If-Range` returned the whole file although its version is the known one.
    mutating func ifRangeWasMisread() { usesIfRange = false }

    /// Records a response of another version.
    ///
    /// - Parameters:
    ///   - fetch: The number of the request.
    ///   - next: The number of the next request.
    ///   - hasOtherDate: True if `Last-Modified` differs as well.
    mutating func receivedOther(_ fetch: Int, next: Int, hasOtherDate: Bool) -> Verdict {
        usesIfRange = false
        guard let doubtFrom else {
            self.doubtFrom = next
            return .askAgain
        }
        // Requests sent before that do not show whether the known version still exists.
        guard fetch >= doubtFrom else { return .askAgain }
        others += 1
        let limit = serversDisagree ? Self.enoughBetweenServers : hasOtherDate ? Self.enoughWithDate : Self.enough
        return others >= limit ? .changed : .askAgain
    }

    /// Records a response of the known version.
    mutating func receivedKnown(_ fetch: Int) {
        guard let doubtFrom, fetch >= doubtFrom else { return }
        serversDisagree = true
        others = 0
    }
}

/// Whether the servers behind one name agree on which version a file is of, and understand `If-Range`.
///
/// An answer with another entity tag but the same size may be a changed file, or one of several servers that make their tags up
/// differently. A change happens once and is never taken back: so the file is asked for again, without `If-Range`, until the known tag
/// comes once more, and then it is the servers that disagree, or until the other one has come often enough to be a new version.
/// Where they disagree, an answer under another tag joins only behind 64 KiB that compare equal.
package struct Consensus: Hashable, Sendable {
    /// Whether `If-Range` is sent; where it does harm, the validator of each answer is compared instead.
    private(set) var usesIfRange = true
    /// Whether the known tag came again after another one.
    private(set) var serversDisagree = false
    /// The first request that was sent after another tag had come.
    private var doubtFrom: Int?
    /// Answers with another tag since then, without one under the known tag or one that compared equal.
    private(set) var others = 0

    /// What an answer with another tag means.
    package enum Verdict: Hashable, Sendable {
        /// It is not known yet, or another server will do: ask again.
        case askAgain
        /// The file is another one now.
        case changed
    }

    /// As many answers in a row under another tag are a change: by chance, one in 64 of two servers that disagree is taken for it.
    static let enough = 6
    /// Where the date is another one, too.
    static let enoughWithDate = 4
    /// Where they are known to disagree, and there is nothing to compare by.
    static let enoughBetweenServers = 24

    /// A request that carried `If-Range` got the whole of the known version.
    mutating func ifRangeWasMisread() { usesIfRange = false }

    /// An answer came under another tag.
    ///
    /// - Parameters:
    ///   - fetch: the request's number.
    ///   - next: the number of the next request.
    ///   - hasOtherDate: whether its Last-Modified differs as well.
    mutating func heardOther(_ fetch: Int, next: Int, hasOtherDate: Bool) -> Verdict {
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

    /// An answer came under the known tag.
    mutating func heardKnown(_ fetch: Int) {
        guard let doubtFrom, fetch >= doubtFrom else { return }
        serversDisagree = true
        others = 0
    }

    /// Bytes under another tag compared equal and are joined.
    mutating func joinedOther() { others = 0 }
}

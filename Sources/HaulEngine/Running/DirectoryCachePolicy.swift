/// Decides when to read a whole folder instead of checking each name; pure, with the time as an argument.
///
/// Reading a folder has a cost for each name in it. Therefore it is read only after many questions, the reading is
/// aborted if the folder has too many names for that number, and a listing is used no longer than the result of a
/// single check might be.
struct DirectoryCachePolicy<Listing> {
    /// The way to find out if a name is free.
    enum Advice {
        /// Use this listing.
        case listing(Listing)
        /// Check the name.
        case look
        /// Check the name, and start reading the folder if it has at most this number of names.
        case lookAndRead(limit: Int)
    }

    private enum State {
        case unread
        /// Being read; the result is worthless if a partial file of this program was created in the folder since the
        /// reading began.
        case reading(isWorthless: Bool)
        case read(Listing, at: ContinuousClock.Instant)
        /// Never read.
        case useless
    }

    /// The time for which a listing is used.
    static var lifetime: Duration { .seconds(1) }
    /// The maximum number of names that are read: 2 MiB of marks for each folder.
    static var maxNames: Int { 1 << 17 }
    /// The number of names that may be read for each question.
    private static var namesPerQuestion: Int { 64 }
    private static var fewestQuestions: Int { 16 }

    private var state = State.unread
    /// The number of questions since the folder was read.
    private var questions = 0
    private var wanted = Self.fewestQuestions

    /// Handles a question.
    mutating func ask(_ now: ContinuousClock.Instant) -> Advice {
        questions += 1
        switch state {
        case .reading, .useless: return .look
        case .read(let listing, let begin) where now - begin < Self.lifetime: return .listing(listing)
        case .read, .unread: state = .unread
        }
        guard questions >= wanted else { return .look }
        state = .reading(isWorthless: false)
        return .lookAndRead(limit: min(questions, Self.maxNames / Self.namesPerQuestion) * Self.namesPerQuestion)
    }

    /// Records that the folder was read, between two instants.
    mutating func read(
        _ listing: Listing, names: Int, from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant
    ) {
        guard case .reading(isWorthless: false) = state, end - begin < Self.lifetime else { return failed() }
        state = .read(listing, at: begin)
        questions = 0
        wanted = max(Self.fewestQuestions, names / Self.namesPerQuestion)
    }

    /// Records that the folder could not be read in time, or has more names than the limit.
    mutating func failed() {
        guard case .reading = state else { return }
        state = .unread
        wanted = questions * 4
    }

    /// Records that this program created a partial file in the folder, which earlier listings lack.
    mutating func changed() {
        switch state {
        case .reading: state = .reading(isWorthless: true)
        case .read: state = .unread
        case .unread, .useless: break
        }
    }

    /// Stops reading the folder, because its listings are of no use.
    mutating func giveUp() { state = .useless }
}

/// When a folder is read as a whole instead of each name being looked at: a decision, without files and with the time as an argument.
///
/// To read a folder costs something for every name in it. So it is read only after many questions, given up where it turns out to hold
/// too many names for them, and counts no longer than a look may be old when its answer is used.
struct DirectoryCachePolicy<Listing> {
    /// What to do about a question whether a name is free.
    enum Advice {
        /// The last listing says it.
        case listing(Listing)
        /// Look at the name.
        case look
        /// Look at the name, and have the folder read, if it has no more names than these.
        case lookAndRead(limit: Int)
    }

    private enum State {
        case unread
        /// It is being read; worth nothing where one of this program's partials came to the folder since that began.
        case reading(isWorthless: Bool)
        case read(Listing, at: ContinuousClock.Instant)
        /// It is never read.
        case useless
    }

    /// How long a listing counts.
    static var lifetime: Duration { .seconds(1) }
    /// The most names that are read: 2 MiB of marks for each folder.
    static var maxNames: Int { 1 << 17 }
    /// How many names may be read for one question.
    private static var namesPerQuestion: Int { 64 }
    private static var fewestQuestions: Int { 16 }

    private var state = State.unread
    /// Since the folder was read.
    private var questions = 0
    private var wanted = Self.fewestQuestions

    /// A question.
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

    /// The folder was read, from one instant to another.
    mutating func read(
        _ listing: Listing, names: Int, from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant
    ) {
        guard case .reading(isWorthless: false) = state, end - begin < Self.lifetime else { return failed() }
        state = .read(listing, at: begin)
        questions = 0
        wanted = max(Self.fewestQuestions, names / Self.namesPerQuestion)
    }

    /// The folder could not be read in time, or has more names.
    mutating func failed() {
        guard case .reading = state else { return }
        state = .unread
        wanted = questions * 4
    }

    /// A partial of this very program came into the folder: what was read before does not know of it.
    mutating func changed() {
        switch state {
        case .reading: state = .reading(isWorthless: true)
        case .read: state = .unread
        case .unread, .useless: break
        }
    }

    /// Its answers are of no use: it is not read any more.
    mutating func giveUp() { state = .useless }
}

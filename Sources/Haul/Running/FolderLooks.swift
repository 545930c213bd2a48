/// When a folder is read as a whole instead of each name being looked at: a decision, without files and with the time as an argument.
///
/// To read a folder costs something for every name in it. So it is read only after many questions, given up where it turns out to hold
/// too many names for them, and counts no longer than a look may be old when its answer is used.
struct FolderLooks {
    /// What to do about a question whether a name is free.
    enum Advice: Equatable {
        /// The last listing says it.
        case listing
        /// Look at the name.
        case look
        /// Look at the name, and have the folder read, if it has no more names than these.
        case lookAndRead(limit: Int)
    }

    /// How long a listing counts.
    static let lifetime: Duration = .seconds(1)
    /// The most names that are read: 2 MiB of marks for each folder.
    static let mostNames = 1 << 17
    /// How many names may be read for one question.
    private static let namesPerQuestion = 64
    private static let fewestQuestions = 16

    /// Since the folder was read.
    private var questions = 0
    private var wanted = Self.fewestQuestions
    private var isReading = false
    /// Whether what is being read is out of date already.
    private var isStale = false
    private var readAt: ContinuousClock.Instant?

    /// A question.
    mutating func ask(_ now: ContinuousClock.Instant) -> Advice {
        questions += 1
        if let readAt, now - readAt < Self.lifetime { return .listing }
        guard !isReading, questions >= wanted else { return .look }
        isReading = true
        return .lookAndRead(limit: min(questions, Self.mostNames / Self.namesPerQuestion) * Self.namesPerQuestion)
    }

    /// The folder was read, from one instant to another.
    mutating func read(_ names: Int, from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        guard !isStale, end - begin < Self.lifetime else { return failed() }
        isReading = false
        readAt = begin
        questions = 0
        want(names / Self.namesPerQuestion)
    }

    /// The folder could not be read in time, or has more names.
    mutating func failed() {
        (isReading, isStale) = (false, false)
        want(questions * 4)
    }

    /// A partial of this very program came into the folder: what was read before does not know of it.
    mutating func changed() {
        readAt = nil
        isStale = isReading
    }

    /// Its answers are of no use: it is never read.
    mutating func giveUp() { wanted = .max }

    private mutating func want(_ questions: Int) {
        if wanted < .max { wanted = max(Self.fewestQuestions, questions) }
    }
}

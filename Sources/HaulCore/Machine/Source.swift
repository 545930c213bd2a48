/// One place that the file comes from, with all that this run has learned of it.
struct Source: Hashable, Sendable {
    /// Its URL as it was given; credentials are for its origin only.
    let home: SourceURL
    /// Which one is asked first: the lowest number.
    let priority: Int
    /// Whether a server named it, and not the caller: it only brings parts of the file that another source has described.
    let isLinked: Bool
    /// Which of the table's hosts it is at.
    let hostNumber: Int
    /// The URL that answers; another one than given where redirects led there.
    var currentURL: SourceURL
    /// The version that it serves: validators of two sources may differ although the file is the same.
    var version: KnownVersion?
    /// Whether it may be asked for ranges at all.
    var usesRanges = true
    /// Whether it may serve ranges: it has shown or promised it, or nothing is known yet.
    var servesRanges = true
    /// Whether it said that it serves ranges.
    var promisesRanges = false
    /// Whether its parts show of which version they are.
    var provesParts = true
    /// Whether its answers are known to begin at the offset that was asked for.
    ///
    /// HTTP says so in each answer. An FTP server only takes the command, and some send the file from its start all the same.
    var provesOffsets: Bool
    /// How many bytes before a join are compared if nothing else shows that an answer is right.
    var overlap = DownloadMachine.overlap
    /// Whether it served a range as asked in this run.
    var hasServedRange = false
    /// Whether any answer of it has come.
    var hasReceived = false
    /// How many of its answers were taken in this run.
    var responseCount = 0
    /// What its refusals of further requests say of its link.
    var link = Link.good
    /// Whether its bytes may be joined with those that are there: it brought them, or its overlap was right.
    var isTrusted = false
    /// Why it is not asked any more.
    var exclusion: Exclusion?
    /// Its failures in a row.
    var failures = 0
    /// Bytes that it has added beyond what any attempt had, since the last failure was counted.
    var newBytes: Int64 = 0
    /// The attempts in a row that were broken off because they were too slow, however much they brought.
    var slowAttempts = 0
    /// How a connection broke that had brought enough for the next one to follow without a pause.
    var excusedBreak: DownloadError?
    /// When the last failure was counted: fetches that were under way then are part of it.
    var lastFailure: Duration?
    /// It is not asked before this time.
    var notBefore: Duration = .zero
    /// Until when others are preferred, because it held them up.
    var slowUntil: Duration = .zero
    /// Where a fetch was already tried again at once, without a penalty.
    var freeTries: Set<Int64> = []
    /// Where a range was missed and already asked for once more.
    var oddAnswers: Set<Int64> = []
    /// Whether the servers behind its name agree on the version.
    var consensus = Consensus()
    /// Bytes that it has added to the file.
    var bytes: Int64 = 0
    /// Bytes per second that a connection to it brought last, or 0 while nothing is known.
    var speed: Double = 0
    /// Pieces that it alone has brought and that were bad.
    var badPieces = 0

    /// What a link is good for.
    enum Link: Hashable, Sendable {
        /// As many requests as wanted, as far as is known.
        case good
        /// One request only: the one that runs.
        case oneUse
        /// Those that run: the next one is sent when they are over, and finds out whether the link has expired.
        case expiring
    }

    /// Why a source is not asked any more.
    struct Exclusion: Hashable, Sendable {
        /// What was wrong.
        var error: DownloadError
        /// When it may be asked again.
        var scope: Scope

        enum Scope: Hashable, Sendable {
            /// When what the others say does not count any more: it only disagreed with them.
            case disagreement
            /// When no other is left, for the whole file: it can't add parts to what the others bring.
            case parts
            /// When no other is left: its connections broke too often while there were others.
            case breaks
            /// Never.
            case lasting
        }
    }

    init(_ url: SourceURL, priority: Int, isLinked: Bool, hostNumber: Int) {
        home = url
        self.priority = priority
        self.isLinked = isLinked
        self.hostNumber = hostNumber
        currentURL = url
        provesOffsets = url.isWeb
    }

    /// How many connections to it can be of use.
    ///
    /// As long as nothing shows that it serves ranges, one further connection finds out.
    var maxConnections: Int {
        guard usesRanges, servesRanges, link == .good else { return 1 }
        return hasServedRange || promisesRanges ? .max : 2
    }

    /// Takes in what a response that was accepted shows of ranges.
    mutating func learn(_ ranges: RangeSupport) {
        switch ranges {
        case .refused: servesRanges = hasServedRange
        case .unknown: break
        case .promised: promisesRanges = true
        case .shown: (servesRanges, hasServedRange) = (true, true)
        }
    }

    /// Whether validators show of which version its answers are: only then bytes of two answers are joined unseen.
    var revealsVersions: Bool { provesParts && version?.validators.areStrong == true }

    /// What shares its limits: scheme, host and port.
    var host: URLOrigin { home.origin }
}

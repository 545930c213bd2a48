/// Names one source of a download.
///
/// Every decision that concerns a source is given its id; there is no current one.
package struct SourceID: Hashable, Sendable, Comparable, ExpressibleByIntegerLiteral {
    /// The index of the source in `DownloadMachine.homes`.
    package let index: Int

    /// Creates the id of the source with an index.
    package init(_ index: Int) { self.index = index }

    /// Creates the id of the source with an index.
    package init(integerLiteral index: Int) { self.index = index }

    /// The source that the caller named first; the journal has its validators.
    package static let main = SourceID(0)

    /// Returns true if the first source was added before the second one.
    package static func < (first: SourceID, second: SourceID) -> Bool { first.index < second.index }
}

/// One source of the file, with everything that this run has learned about it.
struct Source: Hashable, Sendable {
    /// Its URL as given; credentials are only for its origin.
    let home: SourceURL
    /// The priority: the source with the lowest number is used first.
    let priority: Int
    /// True if a server named the source, and not the caller: it only delivers parts of a file that another source has
    /// described.
    let isLinked: Bool
    /// The index of its host in the table.
    let hostNumber: Int
    /// The URL that responds, which differs from the given one after redirects.
    private(set) var currentURL: SourceURL
    /// A URL without TLS on the way to that URL; nil if there is none.
    private(set) var hopWithoutTLS: SourceURL?
    /// A URL without TLS on the way to the response that named the source; nil if there is none.
    private var hopToHome: SourceURL?
    /// The version that it serves.
    ///
    /// Validators of two sources may differ although the file is the same.
    var version: KnownVersion?
    /// The validators with which it served a version of the file that the main source has replaced since.
    var outdated: Validators?
    /// True if ranges may be requested from it at all.
    var usesRanges = true
    /// True if it may serve ranges: it has shown or promised that, or nothing is known yet.
    var servesRanges = true
    /// True if it announced that it serves ranges.
    var promisesRanges = false
    /// True if its partial responses identify their version.
    var provesParts = true
    /// True if its responses are known to begin at the requested offset.
    ///
    /// HTTP states the offset in each response. An FTP server only accepts the command, and some still send the file
    /// from its start.
    var provesOffsets: Bool
    /// The number of bytes before a join that are compared if nothing else proves that a response is right.
    var overlap = DownloadMachine.overlap
    /// True if it has served a range as requested in this run.
    var hasServedRange = false
    /// True if it has sent any response.
    var hasReceived = false
    /// The number of its responses that were accepted in this run.
    var responseCount = 0
    /// The state of its link, as inferred from its refusals of further requests.
    var link = Link.good
    /// True if its bytes may be joined with the existing ones: it delivered them, or its overlap was equal.
    var isTrusted = false
    /// The reason why it is not used any more.
    var exclusion: Exclusion?
    /// The number of its consecutive failures.
    var failures = 0
    /// The number of bytes that it has added beyond any attempt so far, since the last failure was counted.
    var newBytes: Int64 = 0
    /// The number of consecutive attempts that were aborted because they were too slow, however much they delivered.
    var slowAttempts = 0
    /// The error of a broken connection that had delivered enough for the next one to follow without a pause.
    var excusedBreak: DownloadError?
    /// The error of the last failure that was counted; nil once it has delivered bytes.
    var lastError: DownloadError?
    /// The time at which the last failure was counted: fetches that were running then are part of it.
    var lastFailure: Duration?
    /// The time before which it is not used.
    var notBefore: Duration = .zero
    /// The time until which other sources are preferred, because it delayed them.
    var slowUntil: Duration = .zero
    /// The positions at which a fetch was already retried at once, without a penalty.
    var freeTries: Set<Int64> = []
    /// The positions at which a range was missed and already requested once more.
    var oddAnswers: Set<Int64> = []
    /// The agreement of the servers behind its name on the version.
    var consensus = Consensus()
    /// The number of bytes that it has added to the file.
    var bytes: Int64 = 0
    /// The speed of its last connection in bytes per second, or 0 while unknown.
    var speed: Double = 0
    /// The number of corrupt pieces that it alone has delivered.
    var badPieces = 0

    /// The number of requests that a link is valid for.
    enum Link: Hashable, Sendable {
        /// Any number of requests, as far as is known.
        case good
        /// Only one request: the running one.
        case oneUse
        /// Only the running requests. The next one is sent after them, and reveals whether the link has expired.
        case expiring
    }

    /// The exclusion of a source.
    struct Exclusion: Hashable, Sendable {
        /// The reason.
        var error: DownloadError
        /// The condition for using the source again.
        var scope: Scope

        enum Scope: Hashable, Sendable {
            /// When the statements of the other sources no longer count: it only disagreed with them.
            case disagreement
            /// When the source that described existing bytes has confirmed their version, or is excluded for good.
            case unconfirmed
            /// When no other source is left, for the whole file: it cannot add parts to the others' bytes.
            case parts
            /// When no other source is left: its connections broke too often while there were others.
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

    /// Records a URL without TLS on the way to the response that named the source.
    mutating func wasNamed(through hop: SourceURL?) { (hopToHome, hopWithoutTLS) = (hop, hop) }

    /// Sends further requests to the URL to which the redirects of a request have led.
    mutating func move(to plan: FetchPlan) {
        currentURL = plan.url
        hopWithoutTLS = plan.way.first { !$0.isSecure }
    }

    /// Sends further requests to the given URL again.
    mutating func returnHome() { (currentURL, hopWithoutTLS) = (home, hopToHome) }

    /// The number of useful connections to the source.
    ///
    /// While nothing shows that it serves ranges, one further connection finds out.
    var maxConnections: Int {
        guard usesRanges, servesRanges, link == .good else { return 1 }
        return hasServedRange || promisesRanges ? .max : 2
    }

    /// Leaves it alone until a time, or until a later one that was asked for before.
    mutating func wait(until time: Duration) { notBefore = max(notBefore, time) }

    /// Counts a failure, and returns the number of consecutive ones; nil if the fetch was running when the last one was
    /// counted, and so is part of it.
    mutating func countFailure(of fetch: ActiveFetch, now: Duration) -> Int? {
        if let lastFailure, fetch.began <= lastFailure { return nil }
        lastFailure = now
        failures += 1
        newBytes = 0
        return failures
    }

    /// Records what an accepted response reveals about range support.
    mutating func learn(_ ranges: RangeSupport) {
        switch ranges {
        case .refused: servesRanges = hasServedRange
        case .unknown: break
        case .promised: promisesRanges = true
        case .shown: (servesRanges, hasServedRange) = (true, true)
        }
    }

    /// True if validators identify the version of its responses.
    ///
    /// Only then are bytes of two responses joined without comparison.
    var revealsVersions: Bool { provesParts && version?.validators.areStrong == true }

    /// The unit that limits apply to: scheme, host and port.
    var host: URLOrigin { home.origin }
}

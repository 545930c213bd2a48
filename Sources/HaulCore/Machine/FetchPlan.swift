/// One request that the machine wants sent: what to ask, and where the bytes go.
package struct FetchPlan: Hashable, Sendable {
    /// The number of this attempt, never used twice.
    package var id: Int
    /// Where to ask.
    package var url: SourceURL
    /// The redirects that led there, oldest first.
    package var redirects: [SourceURL]
    /// How many of them were asked before an answer set cookies.
    package var settledRedirects = 0
    /// What to ask.
    package var ask: RangeRequest
    /// The segment that the bytes belong to, or nil for the first request, whose bytes wait until the file is open.
    package var segment: Int?
    /// Where the first byte that is written goes; the bytes between `ask.offset` and it are compared with the file.
    package var position: Int64
    /// The offset behind the last byte that is written, or nil: unknown.
    package var end: Int64?
    /// Whether nothing is written: the bytes from `position` to `end` are compared with those that are there.
    package var isProof = false
    /// Whether the bytes that are compared must differ from the first ones of the file, which a server sends that ignores the offset.
    package var provesOffset = false
    /// The source that is asked: 0 is the main one.
    package var source = 0
    /// The running fetch that would write these bytes, too; nil: they are this one's alone.
    package var hedge: Hedge?
}

/// What the first request of a download asks for.
enum FirstRequest: Hashable, Sendable {
    /// The file.
    case file
    /// The file, unless a copy that is there has not been changed since a time.
    case ifModified(since: Int64)
    /// One byte, since the answer to that tells size and date, too: 304 tells neither.
    case facts
}

/// A running fetch that goes on with bytes that are asked for a second time, until it is clear who brings them.
///
/// Its cursor decides, under a lock: each byte is written by one of them only.
package enum Hedge: Hashable, Sendable {
    /// It gives them up when the answer to the new request has come: a link that is good for one request goes on as if nothing had been.
    case untilResponse(fetch: Int)
    /// It gives up what it has not claimed when the new fetch, a backup, has all of them in memory.
    case untilWhole(fetch: Int)
}

extension FetchPlan {
    /// Whether it fetches the last bytes of a segment a second time, and writes them only where it has all of them first.
    package var isBackup: Bool { if case .untilWhole? = hedge { true } else { false } }
}

extension FetchPlan {
    /// A request beside those for the file itself, whose bytes go to no file.
    package init(asking ask: RangeRequest, of url: SourceURL, redirects: [SourceURL]) {
        self.init(id: 0, url: url, redirects: redirects, ask: ask, position: ask.offset)
    }
}

/// A running fetch at one instant.
package struct FetchSample: Hashable, Sendable {
    /// The fetch.
    package var id: Int
    /// Up to where its segment is written.
    package var position: Int64
    /// Bytes received, compared and still gathered ones included: any change is a sign of life.
    package var received: Int64
    /// Whether Haul itself holds it back.
    package var isHeldBack: Bool
    /// How long its writes took in all, extrapolated from every eighth of them.
    package var writing: Duration

    /// Makes a sample.
    package init(id: Int, position: Int64, received: Int64, isHeldBack: Bool, writing: Duration = .zero) {
        self.id = id
        self.position = position
        self.received = received
        self.isHeldBack = isHeldBack
        self.writing = writing
    }
}

/// How a fetch ended.
package enum FetchEnd: Hashable, Sendable {
    /// The body came to its end.
    case complete
    /// The segment is full; no more was wanted.
    case enough
    /// The head was not accepted; the decision was reported before.
    case rejected
    /// A backup was first: it has written all bytes from this offset on, and its rival writes none of them.
    case won(from: Int64)
    /// It was cancelled.
    case cancelled
    /// The connection or the answer broke.
    case broken(DownloadError)
    /// No connection was made: the host has no address, or refuses.
    case unreachable(DownloadError)
    /// It broke in a way that is certain to recur.
    case hopeless(DownloadError)
    /// The overlap is not what the file holds.
    case differs
    /// The overlap is what the file holds, but the file begins with the same bytes: it does not show that the offset was honoured.
    case undecided
    /// Writing failed.
    case fileFailed(DownloadError)
}

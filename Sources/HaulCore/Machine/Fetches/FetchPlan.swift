/// One request that the machine wants sent: its parameters, and the destination of its bytes.
package struct FetchPlan: Hashable, Sendable {
    /// The number of this attempt, never reused.
    package var id: Int
    /// The URL to request.
    package var url: SourceURL
    /// The redirects that led to the URL, oldest first.
    package var redirects: [SourceURL]
    /// The number of those redirects that were followed before a response set cookies.
    package var settledRedirects = 0
    /// A URL without TLS on the way to the URL at which those redirects begin; nil if there is none.
    package var hopWithoutTLS: SourceURL?
    /// The method, and the presence of the body.
    package var form = RequestForm()
    /// The range to request.
    package var ask: RangeRequest
    /// The segment that the bytes belong to; nil for the first request, whose bytes wait until the file is open.
    package var segment: Int?
    /// The offset of the first byte to write.
    ///
    /// The bytes between `ask.offset` and it are compared with the file.
    package var position: Int64
    /// The offset after the last byte to write; nil if unknown.
    package var end: Int64?
    /// True if nothing is written: the bytes from `position` to `end` are compared with the existing ones.
    package var isProof = false
    /// True if the compared bytes must differ from the start of the file, which a server sends if it ignores the
    /// offset.
    package var provesOffset = false
    /// True if the response may replace existing bytes: one without a length is reported when its first byte has come, or its end,
    /// which shows that it is empty.
    package var replaces = false
    /// The source of the request.
    package var source = SourceID.main
    /// The running fetch that would write these bytes as well; nil if they belong to this one alone.
    package var hedge: Hedge?
}

/// The kind of a download's first request.
enum FirstRequest: Hashable, Sendable {
    /// The file.
    case file
    /// The file, unless an existing copy is unchanged since a time.
    case ifModified(since: Int64)
    /// One byte, because its response contains size and date; a 304 response contains neither.
    case facts
}

/// A running fetch that continues with bytes that are requested a second time, until it is clear which fetch delivers
/// them.
///
/// Its cursor decides, under a lock: each byte is written by only one of them.
package enum Hedge: Hashable, Sendable {
    /// It gives them up when the response to the new request arrives. A link that is valid for one request continues
    /// undisturbed.
    case untilResponse(fetch: Int)
    /// It gives up what it has not claimed when the new fetch, a backup, has all of them in memory.
    case untilWhole(fetch: Int)
}

extension FetchPlan {
    /// True if the fetch requests the last bytes of a segment a second time, and writes them only if it has all of them
    /// first.
    package var isBackup: Bool { if case .untilWhole? = hedge { true } else { false } }
}

extension FetchPlan {
    /// The URLs on the way to the URL; of those before `redirects`, at most one without TLS.
    package var way: [SourceURL] { [hopWithoutTLS].compactMap(\.self) + redirects }
}

extension FetchPlan {
    /// True if the response has the whole file, and is compared with the existing bytes before it continues them.
    var comparesWhole: Bool { !ask.usesRange && !isProof && ask.offset == 0 && position > 0 }
}

extension FetchPlan {
    /// Creates a request beside those for the file itself; its bytes are not written to a file.
    package init(asking ask: RangeRequest, of url: SourceURL, redirects: [SourceURL]) {
        self.init(id: 0, url: url, redirects: redirects, ask: ask, position: ask.offset)
    }
}

/// The state of a running fetch at one instant.
package struct FetchSample: Hashable, Sendable {
    /// The number of the fetch.
    package var id: Int
    /// The offset up to which its segment is written.
    package var position: Int64
    /// The number of bytes received, including compared and buffered ones: any change is a sign of activity.
    package var received: Int64
    /// True if Haul itself throttles the fetch.
    package var isHeldBack: Bool
    /// The total duration of its writes, extrapolated from every eighth of them.
    package var writing: Duration

    /// Creates a sample.
    package init(id: Int, position: Int64, received: Int64, isHeldBack: Bool, writing: Duration = .zero) {
        self.id = id
        self.position = position
        self.received = received
        self.isHeldBack = isHeldBack
        self.writing = writing
    }
}

/// The outcome of a fetch.
package enum FetchEnd: Hashable, Sendable {
    /// The body is complete.
    case complete
    /// The segment is full; no more was wanted.
    case enough
    /// The head was not accepted; the decision was reported before.
    case rejected
    /// A backup was first: it has written all bytes from this offset on, and the other fetch writes none of them.
    case won(from: Int64)
    /// It was cancelled.
    case cancelled
    /// The connection or the response broke.
    case broken(DownloadError)
    /// No connection was established: the host has no address, or refuses.
    case unreachable(DownloadError)
    /// It broke in a way that is certain to recur.
    case hopeless(DownloadError)
    /// The overlap differs from the content of the file.
    case differs
    /// The body, whose length was not announced, is longer than the file of its version.
    case longer
    /// The overlap equals the content of the file, but the file begins with the same bytes, so it does not prove that
    /// the offset was applied.
    case undecided
    /// Writing failed.
    case fileFailed(DownloadError)
}

/// What the machine remembers of a running fetch.
struct ActiveFetch: Hashable, Sendable {
    /// What was asked.
    let plan: FetchPlan
    /// The segment it works for; nil until the first request is attached.
    var segment: Int?
    /// Where the segment stood when it began.
    let startPosition: Int64
    /// Up to where it has written.
    var position: Int64
    /// What it may write at most, as far as is known: more than its segment where another one is still to take over the later part.
    var reach: Int64
    /// Bytes received.
    var received: Int64 = 0
    /// When it was sent.
    let began: Duration
    /// When it last showed a sign of life.
    var lastActivity: Duration
    /// How long its answer took.
    var latency: Duration = .zero
    /// Why its head was not accepted.
    var decision: ResponseDecision?
    /// Whether its head was accepted.
    var isAccepted = false
    /// Whether it was cancelled for silence.
    var isStalled = false
    /// Why it was broken off, if it was.
    var brokenOff: DownloadError?
    /// Whether it was cancelled because it does no good: fewer connections do as well, or another one would do better.
    var isSurplus = false
    /// When Haul itself held it back last.
    var heldBack: Duration?
    /// Its own speed.
    var meter = SpeedMeter()

    init(_ plan: FetchPlan, now: Duration) {
        self.plan = plan
        segment = plan.segment
        startPosition = plan.position
        position = plan.position
        reach = plan.isBackup || plan.isProof ? plan.position : plan.end ?? .max
        began = now
        lastActivity = now
        meter.add(0, at: now)
    }

    /// Bytes that it has added to the file.
    var gained: Int64 { position - startPosition }
}

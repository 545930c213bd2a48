/// The machine's state of one running fetch.
struct ActiveFetch: Hashable, Sendable {
    /// The request that was sent.
    let plan: FetchPlan
    /// The segment that the fetch fills; nil until the first request is attached.
    var segment: Int?
    /// The segment's position when the fetch began.
    let startPosition: Int64
    /// The offset up to which the fetch has written.
    var position: Int64
    /// The highest offset that the fetch may write to, as far as is known.
    ///
    /// It exceeds the end of the segment while another fetch is still to take over the later part.
    var reach: Int64
    /// The number of bytes received.
    var received: Int64 = 0
    /// The time at which the request was sent.
    let began: Duration
    /// The time of the last sign of activity.
    var lastActivity: Duration
    /// The time from the request to the response head.
    var latency: Duration = .zero
    /// The reason why the response head was not accepted.
    var decision: ResponseDecision?
    /// True if the response head was accepted.
    var isAccepted = false
    /// True if the fetch was cancelled because no data arrived.
    var isStalled = false
    /// The reason why the fetch was aborted; nil if it was not.
    var brokenOff: DownloadError?
    /// True if the fetch was cancelled as superfluous: fewer connections are as fast, or another connection would be
    /// faster.
    var isSurplus = false
    /// The last time at which Haul itself throttled the fetch.
    var heldBack: Duration?
    /// The speed of this fetch alone.
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

    /// The source of the request.
    var source: SourceID { plan.source }

    /// The number of bytes that the fetch has added to the file.
    var gained: Int64 { position - startPosition }
}

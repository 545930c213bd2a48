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
    /// The decision about the response.
    var response = Response.awaited
    /// The reason why Haul cancelled the fetch; nil if it did not.
    ///
    /// Not a part of `response`: until a cancelled fetch has ended, its response counts.
    private(set) var cancellation: Cancellation?
    /// The fraction of the time for which Haul itself throttled the fetch, over about half a second.
    ///
    /// A single burst that had to wait for an instant is not what limits a connection.
    private var heldShare: Double?
    private var sampled: Duration
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
        sampled = now
        meter.add(0, at: now)
    }

    /// True if Haul itself throttles the fetch for most of the time.
    var isHeldBack: Bool { heldShare ?? 0 > 0.5 }

    /// The decision about the head of a response.
    enum Response: Hashable, Sendable {
        /// No head has arrived.
        case awaited
        /// The response delivers the bytes that were requested.
        case accepted
        /// It does not, for this reason.
        case rejected(ResponseDecision)
    }

    /// A reason for cancelling a fetch, the weakest first.
    enum Cancellation: Hashable, Sendable {
        /// It is superfluous: fewer connections are as fast, or another connection would be faster.
        case surplus
        /// Another source has a better use for the connection.
        case moved
        /// No data arrived.
        case stalled
        /// All connections together were too slow.
        case tooSlow(DownloadError)
    }

    /// The number of the attempt.
    var id: Int { plan.id }

    /// True if the response head was accepted.
    var isAccepted: Bool { response == .accepted }

    /// The reason why the response head was not accepted.
    var decision: ResponseDecision? { if case .rejected(let decision) = response { decision } else { nil } }

    /// The source of the request.
    var source: SourceID { plan.source }

    /// Returns true if an outcome means that the response ended before all of its bytes had come.
    func isBroken(by end: FetchEnd) -> Bool {
        switch end {
        case .broken, .unreachable, .hopeless: true
        case .cancelled:
            switch cancellation {
            case .stalled, .tooSlow: true
            case nil, .surplus, .moved: false
            }
        case .complete, .enough, .rejected, .won, .differs, .longer, .undecided, .fileFailed: false
        }
    }

    /// True if it was cancelled although nothing was wrong with it.
    var isSuperfluous: Bool { cancellation == .surplus || cancellation == .moved }

    /// The number of bytes that the fetch has added to the file.
    var gained: Int64 { position - startPosition }
}

extension ActiveFetch {
    /// Records that the head of the response has arrived.
    mutating func receiveHead(now: Duration) {
        latency = now - began
        lastActivity = now
    }

    /// Lets it fill a segment.
    mutating func attach(to segment: Int, reach: Int64, now: Duration) {
        self.segment = segment
        self.reach = reach
        lastActivity = now
    }

    /// Records what it has received.
    mutating func receive(_ sample: FetchSample, now: Duration) {
        if sample.received != received || sample.isHeldBack { lastActivity = now }
        let (held, weight) = (sample.isHeldBack ? 1.0 : 0, min(1, (now - sampled) / .milliseconds(500)))
        heldShare = heldShare.map { $0 + (held - $0) * weight } ?? held
        sampled = now
        received = sample.received
        meter.add(received, at: now)
    }

    /// Records why it is cancelled, unless there is a stronger reason.
    mutating func cancel(as reason: Cancellation) {
        switch (cancellation, reason) {
        case (nil, _), (.surplus, _), (.moved, _), (.stalled, .stalled), (.stalled, .tooSlow), (.tooSlow, .tooSlow):
            cancellation = reason
        case (.stalled, .surplus), (.stalled, .moved), (.tooSlow, .surplus), (.tooSlow, .moved), (.tooSlow, .stalled):
            break
        }
    }
}

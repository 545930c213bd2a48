/// Builds the record of a run from the events and effects of its machine.
///
/// It is called once per event, after the machine: a few comparisons for most of them, and some additions per
/// connection and tick.
package struct TransferRecording: Sendable {
    /// The state of an open connection.
    struct Open: Sendable {
        let id: Int
        let offset: Int64
        var isDelivering = false
        var status: Int?
        var isRedirected = false
        /// The reason why Haul cancelled it.
        var cancelled: ConnectionEnd?
        var writing: Duration = .zero
    }

    /// The record so far, without the URL, which `record` adds.
    package private(set) var kept: TransferRecord
    private let url: SourceURL
    private var activity = TransferActivity.files
    private var shortage: DownloadMachine.Shortage?
    /// The open connections; there are few, so a linear search is enough.
    private var open: [Open] = []
    /// The time up to which the times are counted.
    private var counted = 0.0
    /// The time of the last tick; `receivingSinceTick` is the time counted as receiving since then.
    private var lastTick = 0.0
    private var receivingSinceTick = 0.0
    private var lastDelivering = 0
    private var processorOrigin: ProcessorSample?
    /// The time at which the sources were last recorded.
    private var listed = -1.0

    /// Creates the recording of a run that has not begun.
    package init(_ configuration: MachineConfiguration) {
        url = configuration.url
        kept = TransferRecord(url: "", limit: configuration.transfer.connections)
    }

    /// Creates the recording of a completed run whose first response contained the whole file.
    package init(_ configuration: MachineConfiguration, whole bytes: Int64, received: Double, seconds: Double) {
        self.init(configuration)
        var connection = ConnectionRecord(id: 1, host: configuration.url.host, began: 0)
        connection.responded = received
        connection.ended = received
        connection.bytes = bytes
        connection.end = .complete
        kept.connections = [connection]
        kept.totalBytes = bytes
        kept.receivedBytes = bytes
        kept.times.asking = received
        kept.times.files = max(0, seconds - received)
        kept.seconds = seconds
        kept.isOver = true
        activity = .over
    }

    /// The record so far.
    package var record: TransferRecord {
        var record = kept
        record.url = url.redacted
        return record
    }

    /// Records that the run uses a proxy.
    package mutating func goes(through host: String) { kept.proxy = host }

    /// Records an event and the effects that the machine returned for it.
    ///
    /// - Parameter now: The time since the start of the run.
    package mutating func observe(
        _ event: MachineEvent, _ effects: [MachineEffect], _ machine: DownloadMachine, now: Duration
    ) {
        let time = max(now.seconds, counted)
        count(to: time)
        var refused: Int?
        switch event {
        case .head(let fetch, let decision): didRespond(fetch, decision, at: time)
        case .tick(let samples):
            didTick(samples, at: time)
            situate(machine)
        case .ended(let fetch, let position, let end):
            refused = didEnd(fetch, position, end, at: time)
            situate(machine)
        case .begin, .located, .prepared, .reopened, .consumed, .takenOver, .checkpointed, .distrusted, .verified,
            .piecesChecked, .published, .closed, .fileFailed, .described, .host, .stop:
            break
        }
        for effect in effects { note(effect, machine, refused: refused, now: now, at: time) }
        list(machine, now: now, at: time)
        activity = machine.activity
        shortage = machine.shortage
        kept.repeatedBytes = machine.repeatedBytes
        if case .failure(let error)? = machine.result { kept.failure = error.code }
        kept.isOver = machine.result != nil
    }

    /// Records a sample of the processor's counters; the first one is the baseline.
    package mutating func processor(_ sample: ProcessorSample, _ limits: ProcessorLimits) {
        guard let origin = processorOrigin else { return processorOrigin = sample }
        guard sample.time > origin.time else { return }
        kept.processor = ProcessorRecord(from: origin, to: sample, limits)
    }

    /// Records what the server's responses allow.
    private mutating func situate(_ machine: DownloadMachine) {
        guard machine.sources[machine.sources.primary].version != nil else { return }
        kept.single = machine.singleReason
        kept.totalBytes = machine.map.total
    }

    /// Records the sources, once a second and at the end.
    private mutating func list(_ machine: DownloadMachine, now: Duration, at time: Double) {
        guard time - listed >= 1 || machine.result != nil && !kept.isOver else { return }
        listed = time
        kept.sources = machine.sourceRecords(now: now)
    }

    private mutating func count(to time: Double) {
        let passed = time - counted
        counted = time
        kept.seconds = time
        if let shortage { kept.hostLimit = (kept.hostLimit ?? HostLimitRecord()).counting(shortage, passed) }
        guard let index = activity.times else { return }
        kept.times[keyPath: index] += passed
        if activity == .receiving { receivingSinceTick += passed }
    }

    private mutating func note(
        _ effect: MachineEffect, _ machine: DownloadMachine, refused: Int?, now: Duration, at time: Double
    ) {
        switch effect {
        case .network(.fetch(let plan)): add(plan, at: time)
        case .network(.cancel(let id)):
            guard let index = index(of: id) else { return }
            open[index].cancelled = machine.cancelReason(of: id, now: now)
        case .emit(.notice(.fewerConnections(let left))):
            kept.refusalCount += 1
            guard kept.refusals.count < TransferRecord.maxIncidents else { return }
            kept.refusals.append(RefusalRecord(time: time, connections: left, status: refused))
        // Waits for a connection are counted by their actual duration: see `shortage`.
        case .emit(.waiting(.connections, _)): return
        case .emit(.waiting(let reason, let seconds)):
            guard kept.waits.count < TransferRecord.maxIncidents else { return }
            kept.waits.append(WaitRecord(reason, seconds: seconds, at: time))
        case .emit, .network(.attach), .network(.takeOver), .network(.describe), .content, .digest, .host:
            return
        }
    }

    private mutating func add(_ plan: FetchPlan, at time: Double) {
        if kept.connections.count >= TransferRecord.maxConnections {
            kept.connections.remove(at: kept.connections.firstIndex { $0.ended != nil } ?? 0)
            kept.omittedConnections += 1
        }
        kept.connections.append(ConnectionRecord(id: plan.id, host: plan.url.host, began: time))
        open.append(Open(id: plan.id, offset: plan.ask.offset))
    }

    private mutating func didRespond(_ id: Int, _ decision: ResponseDecision, at time: Double) {
        guard let index = index(of: id) else { return }
        change(id) { $0.responded = time }
        switch decision {
        case .busy(let status, _, _), .tryAgain(let status, _), .denied(let status, _): open[index].status = status
        case .redirect: open[index].isRedirected = true
        case .take, .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange, .rangesBroken, .refuse:
            break
        }
    }

    /// Records the end of a connection.
    ///
    /// - Returns: The status with which it was refused, if it was.
    private mutating func didEnd(_ id: Int, _ position: Int64, _ end: FetchEnd, at time: Double) -> Int? {
        guard let index = index(of: id) else { return nil }
        let last = open.remove(at: index)
        // The last sample may be a tick old; the position includes everything that was written.
        let received = position.subtractingReportingOverflow(last.offset)
        if !received.overflow { didReceive(id, total: received.partialValue, at: time) }
        change(id) { record in
            record.ended = time
            record.end = ConnectionEnd(end, last)
            record.status = last.status
            switch end {
            case .broken(let error), .unreachable(let error), .hopeless(let error): record.error = error.code
            case .complete, .enough, .rejected, .won, .cancelled, .differs, .longer, .undecided, .fileFailed: break
            }
        }
        return last.status
    }

    private func index(of id: Int) -> Int? { open.firstIndex { $0.id == id } }

    private mutating func change(_ id: Int, _ change: (inout ConnectionRecord) -> Void) {
        guard let index = kept.connections.lastIndex(where: { $0.id == id }) else { return }
        change(&kept.connections[index])
    }
}

// MARK: - Ticks

extension TransferRecording {
    private mutating func didTick(_ samples: [FetchSample], at time: Double) {
        let passed = time - lastTick
        lastTick = time
        defer { receivingSinceTick = 0 }
        let before = kept.receivedBytes
        var delivering = 0
        for sample in samples {
            guard let index = index(of: sample.id) else { continue }
            let known = open[index]
            didReceive(sample.id, total: sample.received, at: time)
            if sample.received > 0, known.isDelivering { delivering += 1 }
            kept.writing += max(0, (sample.writing - known.writing).seconds)
            open[index].isDelivering = sample.received > 0
            open[index].writing = sample.writing
        }
        guard activity == .receiving else { return lastDelivering = 0 }
        if hold(samples, for: min(passed, receivingSinceTick)) { return lastDelivering = 0 }
        let bytes = kept.receivedBytes - before
        if bytes == 0 {
            kept.times.receiving -= receivingSinceTick
            kept.times.silent += receivingSinceTick
        }
        if delivering > 0, delivering == lastDelivering { pace(delivering, passed, bytes) }
        lastDelivering = delivering
    }

    /// Counts the time that Haul's own rate limit cost; it says nothing about the server's speed.
    private mutating func hold(_ samples: [FetchSample], for seconds: Double) -> Bool {
        let held = samples.filter(\.isHeldBack)
        guard !held.isEmpty else { return false }
        kept.heldBack += seconds
        for sample in held { change(sample.id) { $0.heldBack += seconds } }
        return true
    }

    private mutating func pace(_ connections: Int, _ seconds: Double, _ bytes: Int64) {
        let known = kept.paces.firstIndex { $0.connections == connections }
        if known == nil { kept.paces.append(PaceRecord(connections: connections)) }
        let index = known ?? kept.paces.count - 1
        kept.paces[index].seconds += seconds
        kept.paces[index].bytes += bytes
    }

    private mutating func didReceive(_ id: Int, total: Int64, at time: Double) {
        guard let index = kept.connections.lastIndex(where: { $0.id == id }) else { return }
        let bytes = total - kept.connections[index].bytes
        guard bytes > 0 else { return }
        kept.receivedBytes += bytes
        kept.connections[index].bytes = total
        // A transfer that ends before the first tick has no timeline.
        guard lastTick > 0 else { return }
        let slot = slot(at: time)
        if kept.connections[index].slots.isEmpty { kept.connections[index].firstSlot = slot }
        let offset = slot - kept.connections[index].firstSlot
        let missing = offset - kept.connections[index].slots.count + 1
        if missing > 0 { kept.connections[index].slots += Array(repeating: 0, count: missing) }
        kept.connections[index].slots[offset] += bytes
    }

    /// Returns the slot of a time; if there are too many slots, their length is doubled.
    private mutating func slot(at time: Double) -> Int {
        while time >= kept.slotSeconds * Double(TransferRecord.maxSlots) {
            kept.slotSeconds *= 2
            for index in kept.connections.indices { kept.connections[index].halve() }
        }
        return Int(time / kept.slotSeconds)
    }
}

extension ConnectionRecord {
    /// Merges each two slots.
    mutating func halve() {
        guard !slots.isEmpty else { return }
        let first = firstSlot / 2
        var halved = [Int64](repeating: 0, count: (firstSlot + slots.count - 1) / 2 - first + 1)
        for (index, bytes) in slots.enumerated() { halved[(firstSlot + index) / 2 - first] += bytes }
        (firstSlot, slots) = (first, halved)
    }
}

extension ConnectionEnd {
    init(_ end: FetchEnd, _ last: TransferRecording.Open) {
        switch end {
        case .complete: self = .complete
        case .enough: self = .enough
        case .won: self = .complete
        case .rejected: self = last.isRedirected ? .redirected : last.status != nil ? .refused : .unusable
        case .cancelled: self = last.cancelled ?? .stopped
        case .broken, .unreachable, .hopeless: self = .broken
        case .differs, .longer, .undecided: self = .unusable
        case .fileFailed: self = .fileFailed
        }
    }
}

extension WaitRecord {
    init(_ reason: WaitReason, seconds: Double, at time: Double) {
        self.init(time: time, seconds: seconds, status: nil, error: nil)
        switch reason {
        case .serverAsked(let status): self.status = status
        case .retrying(let error, _), .linkExpired(let error): self.error = error.code
        case .turn, .host, .connections, .start, .notBefore, .dependency, .space, .openFiles, .network, .meteredNetwork,
            .credentials:
            break
        }
    }
}

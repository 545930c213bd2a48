extension DownloadMachine {
    /// The minimum time between two checkpoints, which make the written bytes durable.
    static let checkpointInterval: Duration = .seconds(1)
    /// The number of bytes after which a checkpoint follows as soon as the interval allows.
    static let checkpointBytes: Int64 = 64 << 20
    /// The time after which fewer bytes are made durable: a power failure costs no more than that, however slow the
    /// link is.
    static let maxCheckpointInterval: Duration = .seconds(5)

    /// Updates the fetches' positions, ends silent ones, assigns work, and reports progress.
    mutating func didTick(_ samples: [FetchSample], now: Duration) {
        for sample in samples { note(sample, now: now) }
        meter.add(sessionBytes, at: now)
        if let maxTime = configuration.transfer.maxTime, isOverdue(now: now) {
            return fail(.tookTooLong(maxTime), now: now)
        }
        if phase == .probing, fetches.isEmpty { choosePrimary(now: now) }
        if phase == .probing, fetches.isEmpty, now >= sources.primaryNotBefore { probe(now: now) }
        continueProving(now: now)
        repeatDocumentRequest(now: now)
        guard phase == .transferring else { return }
        observeHosts(now: now)
        breakOffSlow(now: now)
        dropSurplus(now: now)
        moveConnections(now: now)
        dropStraggler(now: now)
        dropBackups(now: now)
        proceed(now: now)
        guard phase == .transferring else { return }
        reportContiguousPrefix()
        checkpointIfDue(now: now)
        reportProgress(now: now)
    }

    /// Returns true if the download has taken as long as it may: a tick makes it fail, and starts nothing.
    package func isOverdue(now: Duration) -> Bool {
        configuration.transfer.maxTime.map { now - startTime >= $0 && isFetching } ?? false
    }

    /// True if the download waits for bytes, or for its next attempt to get some.
    private var isFetching: Bool {
        switch phase {
        case .probing, .preparing, .proving, .describing, .reopening, .transferring: true
        case .draining(let next): next.fetches
        case .idle, .locating, .verifying, .publishing, .closing, .ended: false
        }
    }

    /// Aborts all connections if together they were slower than the minimum speed.
    private mutating func breakOffSlow(now: Duration) {
        guard let minimum = configuration.transfer.minSpeed else { return }
        let isReceiving = !fetches.accepted.isEmpty && !fetches.isHeldBack
        switch floor?.observe(sessionBytes, isReceiving: isReceiving, now: now) {
        case .fast: for id in sources.ids { sources[id].slowAttempts = 0 }
        case .slow:
            floor = SpeedFloor(minimum)
            for id in sources.ids where fetches.count(from: id) > 0 {
                sources[id].slowAttempts += 1
            }
            let error = DownloadError(
                .timedOut,
                "slower than \(ByteCount.string(minimum.bytesPerSecond))/s for \(Duration.seconds(minimum.seconds).inWords)"
            )
            for fetch in fetches.all { cancel(fetch.id, as: .tooSlow(error)) }
        case .unknown, nil: break
        }
    }

    private mutating func checkpointIfDue(now: Duration) {
        let (age, bytes) = (now - lastCheckpoint.time, sessionBytes - lastCheckpoint.bytes)
        let interval = bytes >= Self.checkpointBytes ? Self.checkpointInterval : Self.maxCheckpointInterval
        guard !isCheckpointing, bytes > 0, age >= interval else { return }
        isCheckpointing = true
        lastCheckpoint = (now, sessionBytes)
        effects.append(.content(.checkpoint))
    }

    /// Returns the newest connections that are beyond the useful number, or beyond the quota left by other downloads of
    /// the host.
    ///
    /// The remaining connections fetch their parts.
    private func surplus(now: Duration) -> [Int] {
        if sources.mayMix { return surplusAmongSources(now: now) }
        // A connection that another download of the host needs is given up in any case, but never the last one.
        var allowed = max(1, sources.quota(of: sources.primary).connections)
        if case .automatic = configuration.transfer.connections { allowed = min(allowed, connectionsUseful(now: now)) }
        return fetches.all.suffix(max(0, fetches.count - allowed)).map(\.id)
    }

    private mutating func dropSurplus(now: Duration) {
        for id in surplus(now: now) where fetches[id]?.cancellation == nil { cancel(id, as: .surplus) }
    }

    /// Ends a straggler; the rest of its segment is fetched over a new connection.
    ///
    /// While Haul itself throttles connections, their speed proves nothing.
    private mutating func dropStraggler(now: Duration) {
        let backedUp = fetches.backedUp
        let alone = fetches.all.filter { $0.segment.map { !backedUp.contains($0) } ?? true }
        guard sources[sources.primary].usesRanges, alone.count > 1,
            fetches.all.allSatisfy({ $0.cancellation == nil }),
            !fetches.isHeldBack
        else { return }
        let candidates = alone.map { fetch in
            StragglerPolicy.Fetch(
                id: fetch.plan.id, speed: fetch.meter.speed, silence: now - fetch.lastActivity, age: now - fetch.began,
                latency: fetch.latency, remaining: fetch.segment.flatMap { map.remaining(of: $0) } ?? 0,
                isAccepted: fetch.isAccepted)
        }
        guard let id = stragglers.next(candidates, left: map.total.map { $0 - map.written }) else { return }
        if let source = fetches[id]?.source { preferOthers(to: source, now: now) }
        cancel(id, as: .surplus)
    }

    private mutating func note(_ sample: FetchSample, now: Duration) {
        guard let fetch = fetches.receive(sample, now: now) else { return }
        note(sample.position, of: sample.id, now: now)
        if now - fetch.lastActivity >= patience(for: fetch.source),
            fetch.cancellation == nil || fetch.isSuperfluous
        {
            cancel(sample.id, as: .stalled)
        }
    }

    /// Records how far a fetch has written.
    mutating func note(_ position: Int64, of id: Int, now: Duration) {
        guard let fetch = fetches[id], position > fetch.position, let segment = fetch.segment, !fetch.plan.isBackup
        else { return }
        announce()
        sessionBytes += position - fetch.position
        sources[fetch.plan.source].bytes += position - fetch.position
        sources[fetch.plan.source].lastError = nil
        fetches.advance(id, to: position)
        // Bytes were written after those that were compared.
        if fetch.plan.provesOffset { sources[fetch.plan.source].provesOffsets = true }
        let range = ByteRange(from: fetch.startPosition, to: position)
        sources.ledger.note(fetch: fetch.plan.id, source: fetch.plan.source, range)
        map.advance(segment, to: position)
        revertOverrun(of: id)
        guard map.written > farthest else { return }
        sources[fetch.plan.source].newBytes += map.written - farthest
        farthest = map.written
        guard RetryPolicy.isProgress(sources[fetch.plan.source].newBytes, of: map.total) else { return }
        sources[fetch.plan.source].failures = 0
    }

    private mutating func reportProgress(now: Duration) {
        guard hasStarted else { return }
        if let last = lastProgress, now - last < configuration.progressInterval { return }
        lastProgress = now
        effects.append(.emit(.progress(progress(now: now))))
    }

    /// Returns the progress of the download.
    package func progress(now: Duration) -> TransferProgress {
        let speed = meter.speed
        let seconds = (now - startTime).seconds
        let left = map.total.flatMap { speed > 0 ? Double(max(0, $0 - map.written)) / speed : nil }
        return TransferProgress(
            fileBytes: map.written, sessionBytes: sessionBytes, totalBytes: map.total, speed: speed,
            averageSpeed: seconds > 0 ? Double(sessionBytes) / seconds : 0, secondsLeft: left,
            connections: fetches.accepted.count)
    }
}

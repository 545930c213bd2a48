extension DownloadMachine {
    /// Ends all running fetches.
    ///
    /// The next step waits for the last of them, so that no late write can affect a new start.
    mutating func drain(_ next: MachinePhase.AfterDraining, now: Duration) {
        phase = .draining(next)
        fetches.forgetTakeOver()
        for fetch in fetches.all { effects.append(.network(.cancel(fetch.id))) }
        if fetches.isEmpty { didDrain(next, now: now) }
    }

    mutating func didDrain(_ next: MachinePhase.AfterDraining, now: Duration) {
        switch next {
        case .restart: probe(now: now)
        case .overrule: probe(replacing: .overruled, now: now)
        case .resume(let pieces):
            guard let path, let version = sources[sources.primary].version else { break }
            guard version.total == nil else { return reopen(path, version, pieces, now: now) }
            sources[sources.primary].version = nil
            measure(path, version, pieces, now: now)
        case .describe(let pieces): awaitDescription(for: pieces, now: now)
        case .prove(let known, let pieces, let origin, let seen):
            if let path { prove(path, known, pieces, origin, seen: seen, now: now) }
        case .leave(let error): leave(error)
        case .verify:
            phase = .verifying
            announce()
            // Observers see the download reach its end, however short it was.
            effects.append(.emit(.progress(progress(now: now))))
            effects.append(
                configuration.pieces == nil
                    ? .content(.verify(total: map.total ?? 0)) : .content(.checkPieces(total: map.total ?? 0)))
        case .keep(let path, let size, let isSame): keep(path, size: size, isSame: isSame, now: now)
        case .fail(let error): close(error)
        }
    }

    /// Ends the download with an error.
    ///
    /// The partial file is kept if it contains anything.
    mutating func fail(_ error: DownloadError, now: Duration) {
        switch phase {
        case .closing, .ended: return
        case .draining(.fail): return
        case .publishing where error.code == .cancelled: return
        case .idle, .locating, .probing, .preparing, .proving, .describing, .reopening, .transferring, .draining,
            .verifying, .publishing:
            drain(.fail(error), now: now)
        }
    }

    private mutating func close(_ error: DownloadError) {
        phase = .closing(.failed(error))
        // The content store knows whether anything is worth keeping: the map may be empty here while a partial file can
        // still be resumed.
        // The bytes of another program's file are the user's: the checksum may be what is wrong.
        let discards = error.code == .checksumMismatch && adopted == nil
        effects.append(discards ? .content(.discard) : .content(.save))
    }

    mutating func didVerify(_ hex: String?, joinsDiffer: Bool, now: Duration) {
        guard phase == .verifying else { return }
        let isVouchedFor = wanted.map { $0.checksum.hex == hex } ?? (configuration.pieces != nil)
        if joinsDiffer, !isVouchedFor {
            // Nobody knows which of the two responses was wrong.
            return sources.mayMix ? didContradict(now: now) : restart(.sourceChanged, of: sources.primary, now: now)
        }
        if let wanted, hex != wanted.checksum.hex {
            if adopted != nil { return fail(wanted.mismatch(hex: hex, .adopted), now: now) }
            if sources.mayMix { return didMismatch(wanted.checksum, hex, now: now) }
            // The existing bytes may be of another version, and differ elsewhere.
            if wasSampled || resumedBytes > 0 {
                return restart(Self.partialMismatches, of: sources.primary, then: .overrule, now: now)
            }
            return fail(wanted.mismatch(hex: hex, configuration.streamWindow != nil ? .streamed : .removed), now: now)
        }
        if wanted == nil { doubtHeader(hex) }
        phase = .publishing
        effects.append(.content(.publish(total: map.total ?? 0, modified: modified)))
    }

    private static let partialMismatches = Notice.partialQuarantined(
        reason: "with it, the file does not match the checksum; it is of another version, or the checksum is wrong")

    mutating func didPublish(_ path: String, now: Duration) {
        guard phase == .publishing else { return }
        let facts = FinishFacts(
            path: path, totalBytes: map.total ?? 0, sessionBytes: sessionBytes, seconds: (now - startTime).seconds,
            verification: verification, kept: adopted?.isWhole ?? false)
        end(.finished(facts))
    }

    /// Ends the download because the existing file is the requested one: nothing is fetched or modified.
    mutating func keep(_ path: String, size: Int64, isSame: Bool, now: Duration) {
        leave(path, size: size, verification(ofKept: isSame), kept: true, now: now)
    }

    /// Ends the download because the existing file needs no work.
    mutating func leave(_ path: String, size: Int64, _ verification: Verification, kept: Bool, now: Duration) {
        let facts = FinishFacts(
            path: path, totalBytes: size, sessionBytes: 0, seconds: (now - startTime).seconds,
            verification: verification, kept: kept)
        phase = .closing(.finished(facts))
        effects.append(.content(.save))
    }

    mutating func didClose() {
        guard case .closing(let event) = phase else { return }
        end(event)
    }

    /// Ends the download.
    ///
    /// No other function does.
    private mutating func end(_ event: TransferEvent) {
        switch event {
        case .finished(let facts): result = .success(facts)
        case .failed(let error): result = .failure(error)
        case .started, .progress, .waiting, .notice: return
        }
        phase = .ended
        effects.append(.emit(event))
    }
}

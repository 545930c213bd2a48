import HaulTransport

/// The body: what the sink says, and what follows from it.
extension CurlTransfer {
    /// Asks the sink what it wants now.
    func woken() {
        switch (phase, conclusion) {
        case (.waiting, _), (.receiving, nil), (.receiving, .complete), (.receiving, .failed):
            apply(sink.woken())
            loop.touch(self)
        case (.draining, _), (.ended, _), (.receiving, .enough), (.receiving, .rejected), (.receiving, .cancelled):
            break
        }
    }

    /// Time has passed: ends a pause, or the reading away of a body.
    func timePassed(_ now: ContinuousClock.Instant) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        if case .draining = phase { return conclude(.rejected) }
        isPaused = false
        loop.touch(self)
    }

    /// Brings the transfer on, outside of libcurl's calls: what was gathered goes to the sink, a pause is taken back, and what is
    /// concluded ends.
    func settle() {
        guard phase != .ended else { return }
        flush()
        guard !isPaused || conclusion == .enough else { return }
        if let conclusion { return end(conclusion) }
        guard isHeld, isAdded else { return }
        isHeld = false
        // Calls back at once with what libcurl had to keep.
        easy?.resume()
    }

    /// Gives the sink what was gathered, unless it pauses.
    func flush() {
        guard !gathered.isEmpty, !isPaused else { return }
        // Taken out for the call, and put back for its capacity.
        var bytes: [UInt8] = []
        swap(&bytes, &gathered)
        // The bytes of an array of integers are initialised, and the span ends before the array changes.
        let verdict = unsafe sink.body(bytes.span.bytes)
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &gathered)
        apply(verdict)
    }

    private func apply(_ verdict: BodyVerdict) {
        deadline = nil
        switch verdict {
        case .more: isPaused = false
        case .pause: isPaused = true
        case .pauseFor(let duration):
            isPaused = true
            deadline = .now + duration
            loop.watch(self)
        case .enough:
            isPaused = false
            gathered = []
            conclusion = .enough
            loop.touch(self)
        }
    }
}

import HaulTransport

/// The body: the verdicts of the sink, and their effects.
extension CurlTransfer {
    /// Asks the sink for its verdict.
    func woken() {
        switch (phase, conclusion) {
        case (.waiting, _), (.receiving, nil), (.receiving, .complete), (.receiving, .failed):
            apply(sink.woken())
            loop.touch(self)
        case (.ended, _), (.receiving, .enough), (.receiving, .rejected), (.receiving, .cancelled):
            break
        }
    }

    /// Handles an expired deadline: ends a pause.
    func timePassed(_ now: ContinuousClock.Instant) {
        guard let deadline, deadline <= now else { return }
        self.deadline = nil
        isPaused = false
        loop.touch(self)
    }

    /// Advances the transfer outside of libcurl's callbacks: passes gathered bytes to the sink, ends a pause, and ends
    /// the transfer if it is concluded.
    func settle() {
        guard phase != .ended else { return }
        flush()
        guard !isPaused || conclusion == .enough else { return }
        if sizing == .unknown, repeatIgnoringSize(.unknownAndRepeated) { return }
        if let conclusion { return end(conclusion) }
        guard isHeld, isAdded else { return }
        isHeld = false
        // Calls back at once with the bytes that libcurl had to hold.
        easy?.resume()
    }

    /// Passes the gathered bytes to the sink, unless it pauses.
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

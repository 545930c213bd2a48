extension Lifecycle {
    /// Handles a command.
    ///
    /// A command that is refused or unnecessary in the current state changes nothing.
    package mutating func handle(_ command: Command) -> Answer {
        switch command {
        case .grant: grant()
        case .pause: pause()
        case .resume: resume()
        case .restart: restart()
        case .cancel(let keep): cancel(keepPartial: keep)
        case .remove(let files): remove(files)
        case .retry(let fromStart): retry(fromStart: fromStart)
        case .replaceSource: replaceSource()
        case .lackCredentials: lackCredentials()
        case .ended(let end): ended(end)
        }
    }

    private mutating func grant() -> Answer {
        guard state == .queued, run == .none else { return .unchanged }
        state = .active
        run = .going
        hasBegun = true
        return .done([.start])
    }

    private mutating func lackCredentials() -> Answer {
        guard state == .queued, run == .none else { return .unchanged }
        state = .held
        return .done([.dequeue, .emit(.credentials)])
    }

    private mutating func pause() -> Answer {
        switch (state, run) {
        case (_, .stopping(.discard)), (_, .stopping(.remove)): return .refused(.isStopping)
        case (.paused, _): return .unchanged
        case (.queued, .none):
            state = .paused
            return .done([.dequeue, .emit(.paused)])
        case (.queued, _), (.active, _):
            state = .paused
            return .done(stopIfGoing(.rest))
        case (.held, _): return .refused(.needsSource)
        case (.finished, _): return .refused(.isFinished)
        case (.failed, _): return .refused(.hasFailed)
        case (.cancelled, _): return .refused(.isCancelled)
        }
    }

    private mutating func resume() -> Answer {
        switch (state, run) {
        case (_, .stopping(.discard)), (_, .stopping(.remove)): return .refused(.isStopping)
        case (.queued, _), (.active, _): return .unchanged
        case (.paused, _):
            state = .queued
            return .done(run == .none ? [.enqueue, .emit(.resumed)] : [])
        case (.held, _): return .refused(.needsSource)
        case (.finished, _): return .refused(.isFinished)
        case (.failed, _): return .refused(.hasFailed)
        case (.cancelled, _): return .refused(.isCancelled)
        }
    }

    private mutating func restart() -> Answer {
        guard state == .active, run == .going else { return resume() }
        // Queued: if the process dies before the run has ended, the next launch resumes the download.
        state = .queued
        return .done(stopIfGoing(.rest))
    }

    private mutating func cancel(keepPartial: Bool) -> Answer {
        if run != .none {
            if case .stopping(.remove) = run { return .unchanged }
            if run == .stopping(.discard) || (state == .cancelled && keepPartial) { return .unchanged }
            state = .cancelled
            return .done(stopIfGoing(keepPartial ? .rest : .discard))
        }
        switch state {
        case .finished: return .refused(.isFinished)
        case .cancelled where keepPartial: return .unchanged
        case .queued, .active, .paused, .held, .failed, .cancelled: break
        }
        let leaves: [Effect] = state == .queued ? [.dequeue] : []
        state = .cancelled
        return .done(leaves + (keepPartial ? [] : discard) + [.emit(.cancelled(keptPartial: keepPartial))])
    }

    private mutating func remove(_ files: RemovedFiles) -> Answer {
        if run != .none {
            // If the process dies before the run has ended, the download must not resume by itself.
            state = .cancelled
            return .done(stopIfGoing(.remove(filesPromised(with: files))))
        }
        return .done((state == .queued ? [.dequeue] : []) + removal(files))
    }

    /// Returns the files to be removed when the run has ended: an earlier command may have promised more of them.
    private func filesPromised(with files: RemovedFiles) -> RemovedFiles {
        switch run {
        case .stopping(.remove(.all)): .all
        case .stopping(.remove(.partial)), .stopping(.discard): files == .none ? .partial : files
        case .stopping(.remove(.none)), .stopping(.rest), .going, .none: files
        }
    }

    private mutating func retry(fromStart: Bool) -> Answer {
        switch run {
        case .none: break
        case .going: return fromStart ? .refused(.isRunning) : .unchanged
        case .stopping(.rest) where !fromStart:
            guard state != .queued else { return .unchanged }
            state = .queued
            return .done([])
        case .stopping: return .refused(.isStopping)
        }
        if state == .queued, !fromStart { return .unchanged }
        let leaves: [Effect] = state == .queued ? [.dequeue] : []
        state = .queued
        return .done(leaves + (fromStart ? discard : []) + [.enqueue, .emit(.resumed)])
    }

    private mutating func replaceSource() -> Answer {
        switch (state, run) {
        case (_, .stopping(.discard)), (_, .stopping(.remove)): return .refused(.isStopping)
        case (.finished, _): return .refused(.isFinished)
        case (.cancelled, _): return .refused(.isCancelled)
        case (.paused, _), (.queued, .stopping), (.queued, .going): return .done([.emit(.sourceReplaced)])
        // The new source may be on another host, which changes the place in the queue.
        case (.queued, .none): return .done([.dequeue, .emit(.sourceReplaced), .enqueue])
        case (.active, _):
            state = .queued
            return .done(stopIfGoing(.rest) + [.emit(.sourceReplaced)])
        case (.held, _), (.failed, _):
            state = .queued
            return .done([.emit(.sourceReplaced), .emit(.resumed), .enqueue])
        }
    }

    private mutating func stopIfGoing(_ then: Then) -> [Effect] {
        defer { run = .stopping(then) }
        return run == .going ? [.stop] : []
    }

    private var discard: [Effect] { hasBegun ? [.discard] : [] }

    func removal(_ files: RemovedFiles) -> [Effect] {
        (files == .none || !hasBegun ? [] : [.delete(files)]) + [.forget(files)]
    }
}

extension Lifecycle {
    /// Handles the end of a run, which emits exactly one terminal event.
    mutating func ended(_ end: RunEnd) -> Answer {
        let before = run
        guard before != .none else { return .unchanged }
        run = .none
        if case .stopping(.remove(let files)) = before { return .done(removal(files)) }
        if end == .finished {
            state = .finished
            return .done([.emit(.finished)])
        }
        if before == .stopping(.discard) { return .done([.discard, .emit(.cancelled(keptPartial: false))]) }
        if state == .cancelled { return .done([.emit(.cancelled(keptPartial: true))]) }
        return .done(rest(end))
    }

    /// Handles the end of a run that was not cancelled, by its outcome and the caller's latest command.
    private mutating func rest(_ end: RunEnd) -> [Effect] {
        switch end {
        case .finished: return []
        case .failed:
            // The failure of the old source does not matter once the source was replaced.
            if state == .queued { return [.emit(.paused), .emit(.resumed), .enqueue] }
            state = .failed
            return [.emit(.failed)]
        case .expired:
            if state == .queued { return [.emit(.paused), .emit(.resumed), .enqueue] }
            state = .held
            return [.emit(.held)]
        case .short:
            if state == .paused { return [.emit(.paused)] }
            state = .queued
            return [.emit(.short), .awaitSpace]
        case .stopped:
            switch state {
            // The manager shut down: the next launch resumes this download first.
            case .active: return [.emit(.interrupted)]
            case .queued: return [.emit(.paused), .emit(.resumed), .enqueue]
            case .paused, .held, .finished, .failed, .cancelled: return [.emit(.paused)]
            }
        }
    }
}

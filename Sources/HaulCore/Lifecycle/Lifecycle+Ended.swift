extension Lifecycle {
    /// A run is over: exactly one thing is told as its end.
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

    /// It was not cancelled: how it ended counts, and what the caller wants now.
    private mutating func rest(_ end: RunEnd) -> [Effect] {
        switch end {
        case .finished: return []
        case .failed:
            // With a new source on its way, the old one's failure is no news.
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
            // Nobody asked it to stop but the end of the manager: the next launch goes on with it first.
            case .active: return [.emit(.interrupted)]
            case .queued: return [.emit(.paused), .emit(.resumed), .enqueue]
            case .paused, .held, .finished, .failed, .cancelled: return [.emit(.paused)]
            }
        }
    }
}

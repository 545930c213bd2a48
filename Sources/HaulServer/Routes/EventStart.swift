/// Where a stream of events begins.
struct EventStart: Equatable {
    /// The number after which events are told; nil: from now on, the present state first.
    var since: Int64?
    /// The number to tell with a reset, where it can't begin where it was asked to.
    var reset: Int64?
}

extension EventStart {
    /// Decides: what was never given, or is not kept any more, can't be gone on from.
    ///
    /// - Parameters:
    ///   - after: What was asked for; nil: from now on.
    ///   - last: Reads the number of the last event.
    ///   - first: Reads the number of the oldest event that is kept. It is read after `last`: what is added to an empty list meanwhile is
    ///     told, where the other order would take it for an event that is not kept any more.
    init(after: Int64?, last: () async -> Int64, first: () async -> Int64?) async {
        guard let after else { return }
        let last = await last()
        var isKept = after == last
        if after < last { isKept = await first().map { $0 <= after + 1 } ?? false }
        (since, reset) = isKept ? (after, nil) : (last, last)
    }
}

/// Rows that were read ahead, in the order in which they may start: hosts take turns, each with a limited number of rows
/// at a time, and a host that asks for a pause gets it.
package struct RowQueue<Item: Sendable>: Sendable {
    private struct Host: Sendable {
        var waiting: [Item] = []
        /// The number of `waiting` that were taken.
        var taken = 0
        var running = 0
        var limit: Int
        /// True if the host is in the order.
        var isListed = false
        /// The end of the pause that the host asked for.
        var pauseEnd: Duration?
        /// Rows that are to be tried again after the pause, before the others.
        var again: [Item] = []

        var isEmpty: Bool { taken == waiting.count && again.isEmpty }

        mutating func take() -> Item {
            if let item = again.popLast() { return item }
            defer {
                taken += 1
                if taken == waiting.count {
                    (waiting, taken) = ([], 0)
                } else if taken >= 256, taken * 2 > waiting.count {
                    waiting.removeFirst(taken)
                    taken = 0
                }
            }
            return waiting[taken]
        }
    }

    private var hosts: [String: Host] = [:]
    /// The hosts that have rows and may start one.
    private var order: [String] = []
    private var head = 0
    /// The hosts that pause.
    private var pausing: Set<String> = []
    /// The number of rows that wait.
    package private(set) var count = 0
    /// The number of rows that run.
    package private(set) var running = 0

    /// Creates an empty queue.
    package init() {}

    /// True if a row may start.
    package var hasNext: Bool { head < order.count }

    /// Adds a row of a host.
    package mutating func add(_ item: Item, host name: String, limit: Int) {
        count += 1
        hosts[name, default: Host(limit: limit)].waiting.append(item)
        hosts[name]?.limit = max(1, limit)
        list(name)
    }

    /// Ends a row, which is tried again after a pause of its host; no other row of the host starts meanwhile.
    package mutating func putBack(_ item: Item, host name: String, until end: Duration) {
        guard var host = hosts[name] else { return }
        count += 1
        host.again.append(item)
        host.pauseEnd = max(host.pauseEnd ?? end, end)
        hosts[name] = host
        pausing.insert(name)
        self.end(host: name)
    }

    /// Ends the pauses that are over.
    ///
    /// - Returns: The end of the next one; nil if no host pauses.
    @discardableResult
    package mutating func endPauses(now: Duration) -> Duration? {
        for name in pausing where hosts[name]?.pauseEnd.map({ $0 <= now }) != false {
            pausing.remove(name)
            hosts[name]?.pauseEnd = nil
            list(name)
        }
        return pausing.compactMap { hosts[$0]?.pauseEnd }.min()
    }

    /// Starts the next row; nil if none may start.
    package mutating func next() -> (item: Item, host: String)? {
        guard head < order.count else { return nil }
        let name = order[head]
        head += 1
        defer { trimOrder() }
        guard hosts[name]?.pauseEnd == nil else {
            // The pause began after it was listed.
            hosts[name]?.isListed = false
            return next()
        }
        guard let item = hosts[name]?.take() else { return nil }
        hosts[name]?.running += 1
        hosts[name]?.isListed = false
        count -= 1
        running += 1
        list(name)
        return (item, name)
    }

    /// Ends a row of a host.
    package mutating func end(host name: String) {
        guard let host = hosts[name], host.running > 0 else { return }
        running -= 1
        hosts[name]?.running -= 1
        if host.running == 1, host.isEmpty {
            hosts[name] = nil
        } else {
            list(name)
        }
    }

    private mutating func trimOrder() {
        if head == order.count {
            (order, head) = ([], 0)
        } else if head >= 1024, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
        }
    }

    /// Puts a host at the end of the order, if it may start a row.
    private mutating func list(_ name: String) {
        guard let host = hosts[name], !host.isListed, !host.isEmpty, host.running < host.limit, host.pauseEnd == nil
        else { return }
        hosts[name]?.isListed = true
        order.append(name)
    }
}

/// Rows that were read ahead, in the order in which they may start: hosts take turns, each with a limited number of rows
/// at a time.
package struct RowQueue<Item: Sendable>: Sendable {
    private struct Host: Sendable {
        var waiting: [Item] = []
        /// The number of `waiting` that were taken.
        var taken = 0
        var running = 0
        var limit: Int
        /// True if the host is in the order.
        var isListed = false

        var isEmpty: Bool { taken == waiting.count }

        mutating func take() -> Item {
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

    /// Starts the next row; nil if none may start.
    package mutating func next() -> (item: Item, host: String)? {
        guard head < order.count else { return nil }
        let name = order[head]
        head += 1
        if head == order.count {
            (order, head) = ([], 0)
        } else if head >= 1024, head * 2 > order.count {
            order.removeFirst(head)
            head = 0
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

    /// Puts a host at the end of the order, if it may start a row.
    private mutating func list(_ name: String) {
        guard let host = hosts[name], !host.isListed, !host.isEmpty, host.running < host.limit else { return }
        hosts[name]?.isListed = true
        order.append(name)
    }
}

import NIOCore

/// The connections of Haul's own to one origin, of which it keeps those that have no transfer just now; on their event loop.
final class DirectPool {
    /// Where they lead to.
    let origin: DirectOrigin
    /// Whether any certificate was good enough.
    let insecure: Bool
    /// How many connections there are or come about, with those that have a transfer.
    private(set) var count = 0
    private var idle: [DirectConnection] = []

    /// Makes an empty one.
    init(_ origin: DirectOrigin, insecure: Bool) {
        self.origin = origin
        self.insecure = insecure
    }

    /// The connection that was used last, which is the likeliest to stand; none that has waited since before a time.
    func take(usedAfter deadline: NIODeadline) -> DirectConnection? {
        while let connection = idle.popLast() {
            guard connection.isActive else { continue }
            if let since = connection.idleSince, since > deadline { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection whose answer has ended whole.
    func keep(_ connection: DirectConnection) { idle.append(connection) }

    /// A connection is made, or is about to be.
    func add() { count += 1 }

    /// Takes an `add` back.
    func remove() { count -= 1 }

    /// A connection has ended.
    func forget(_ connection: DirectConnection) {
        remove()
        idle.removeAll { $0 === connection }
    }

    /// Closes those that were used last before a time.
    func close(before deadline: NIODeadline) {
        for connection in idle where connection.idleSince.map({ $0 <= deadline }) ?? true { connection.close() }
    }
}

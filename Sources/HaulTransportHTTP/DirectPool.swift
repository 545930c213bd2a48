import NIOCore

/// Haul's own connections to one origin.
///
/// The pool keeps the idle ones, and is used only on their event loop.
final class DirectPool {
    /// The origin of the connections.
    let origin: DirectOrigin
    /// True if any certificate was accepted.
    let insecure: Bool
    /// The number of connections that exist or are being established, including those with a transfer.
    private(set) var count = 0
    private var idle: [DirectConnection] = []

    /// Creates an empty pool.
    init(_ origin: DirectOrigin, insecure: Bool) {
        self.origin = origin
        self.insecure = insecure
    }

    /// Returns the idle connection that was used last, which is the most likely to be open.
    ///
    /// Connections idle since before a time are closed.
    func take(usedAfter deadline: NIODeadline) -> DirectConnection? {
        while let connection = idle.popLast() {
            guard connection.isActive else { continue }
            if let since = connection.idleSince, since > deadline { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection after a complete response.
    func keep(_ connection: DirectConnection) { idle.append(connection) }

    /// Counts a connection that exists or is being established.
    func add() { count += 1 }

    /// Reverts an `add`.
    func remove() { count -= 1 }

    /// Removes a connection that has ended.
    func forget(_ connection: DirectConnection) {
        remove()
        idle.removeAll { $0 === connection }
    }

    /// Closes the connections that were used last before a time.
    func close(before deadline: NIODeadline) {
        for connection in idle where connection.idleSince.map({ $0 <= deadline }) ?? true { connection.close() }
    }
}

/// Limits the number of bodies that run at a time; the others wait in order.
///
/// Swift Testing starts every case at once. Hundreds of servers and clients would need more than 1,024 descriptors,
/// which Foundation's `Process` cannot handle (its socket manager uses select(2)).
package actor SocketGate {
    /// The gate used by all tests with sockets.
    package static let shared = SocketGate(limit: 16)

    private let limit: Int
    private var inside = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Makes a gate for at most `limit` bodies at a time.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Runs `body` as soon as there is a free slot.
    package func pass(_ body: @concurrent @Sendable () async throws -> Void) async throws {
        if inside < limit {
            inside += 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
        defer { leave() }
        try await body()
    }

    private func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        inside -= 1
    }
}

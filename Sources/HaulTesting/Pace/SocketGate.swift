/// Lets only so many in at a time; the others wait in order.
///
/// Swift Testing starts every case at once. With hundreds of servers and clients that is more than 1,024 descriptors, which Foundation's
/// `Process` does not survive (its socket manager uses select(2)).
package actor SocketGate {
    /// The one that all tests with sockets go through.
    package static let shared = SocketGate(limit: 16)

    private let limit: Int
    private var inside = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Makes one.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Runs `body` as soon as there is room.
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

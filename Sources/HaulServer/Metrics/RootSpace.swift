import CHaulSystem
import Dispatch
import HaulTransport
import Synchronization

/// The disk of a root.
package struct RootSpace: Hashable, Sendable {
    /// The root.
    package var path: String
    /// The space of its file system; nil if the root does not exist or can't be read.
    package var space: Space?

    /// Makes the value.
    package init(path: String, space: Space?) { (self.path, self.space) = (path, space) }

    /// The space of a file system in bytes.
    package struct Space: Hashable, Sendable {
        /// The space that is free for this user.
        package var free: Int64
        /// The size.
        package var size: Int64

        /// Makes the value.
        package init(free: Int64, size: Int64) { (self.free, self.size) = (free, size) }
    }

    /// Measures the disk of a root; it blocks, on a network file system that does not respond for long.
    package init(measuring path: String) {
        self.path = path
        var found = haul_space()
        // Safe: the path is copied by the call, and the C function fills exactly this struct.
        guard unsafe haul_space_of_path(path, &found) == 0 else { return }
        space = Space(free: Int64(clamping: found.available), size: Int64(clamping: found.total))
    }
}

/// Measures the disks of the roots, without ever waiting long for one that does not respond.
package final class RootWatch: Sendable {
    private struct State {
        /// The roots whose disks have not responded yet.
        var measuring: Set<String> = []
        var last: [String: RootSpace] = [:]
    }

    private let queue = DispatchQueue(label: "haul.roots", attributes: .concurrent)
    private let state = Mutex(State())
    private let measure: @Sendable (String) -> RootSpace
    private let limit: Duration

    /// Makes a watch.
    ///
    /// - Parameter limit: The longest time to wait for the disks; then the last values are used, or none.
    package init(
        limit: Duration = .seconds(1), measure: @escaping @Sendable (String) -> RootSpace = RootSpace.init(measuring:)
    ) {
        (self.limit, self.measure) = (limit, measure)
    }

    /// Returns the disks of roots.
    ///
    /// A root that did not respond in time has its last value, if it was measured before; it is not asked again meanwhile.
    package func spaces(_ roots: [String]) async -> [RootSpace] {
        let asked = state.withLock { state in roots.filter { state.measuring.insert($0).inserted } }
        let (answers, continuation) = AsyncStream<Void>.makeStream()
        for root in asked {
            queue.async { [self] in
                let found = measure(root)
                state.withLock { state in
                    state.measuring.remove(root)
                    state.last[root] = found
                }
                continuation.yield()
            }
        }
        await within(limit) {
            var iterator = answers.makeAsyncIterator()
            for _ in asked where await iterator.next() == nil { return }
        }
        let known = state.withLock { $0.last }
        return roots.map { known[$0] ?? RootSpace(path: $0, space: nil) }
    }
}

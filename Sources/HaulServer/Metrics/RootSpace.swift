import CHaulSystem
import Dispatch
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
        var isMeasuring = false
        var last: [RootSpace] = []
    }

    private let queue = DispatchQueue(label: "haul.roots")
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
    /// A root that did not respond in time has its last value, if it was measured before.
    package func spaces(_ roots: [String]) async -> [RootSpace] {
        let begins = state.withLock { state in
            defer { state.isMeasuring = true }
            return !state.isMeasuring
        }
        if begins { await update(roots) }
        let known = state.withLock { $0.last }
        return roots.map { root in known.first { $0.path == root } ?? RootSpace(path: root, space: nil) }
    }

    private func update(_ roots: [String]) async {
        await withCheckedContinuation { continuation in
            let once = Once(continuation)
            queue.async { [self] in
                let found = roots.map(measure)
                state.withLock { ($0.last, $0.isMeasuring) = (found, false) }
                once.resume()
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + (limit / .seconds(1))) { once.resume() }
        }
    }

    /// A continuation that is resumed by the first of two.
    private final class Once: Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>

        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

        func resume() {
            let taken = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            taken?.resume()
        }
    }
}

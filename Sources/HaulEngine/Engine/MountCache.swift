import HaulCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The mounts of this process, read again when they are a second old.
final class MountCache: Sendable {
    /// The time after which the list of mounts is read again.
    static let age = Duration.seconds(1)

    private let state = Mutex<(table: MountTable, readAt: ContinuousClock.Instant?)>((MountTable(""), nil))
    private let read: @Sendable () -> String?

    /// Creates a cache that has read nothing yet.
    ///
    /// - Parameter read: Returns the text of `/proc/self/mountinfo`; nil if the system has none.
    init(read: @escaping @Sendable () -> String? = MountCache.kernelsMounts) { self.read = read }

    /// Returns the mount of a path, without a look at the disk; nil if it is unknown.
    func mount(of path: String, at now: ContinuousClock.Instant) -> MountTable.Mount? {
        state.withLock { state in
            if state.readAt.map({ now - $0 >= Self.age }) ?? true { state = (MountTable(read() ?? ""), now) }
            return state.table.mount(of: path)
        }
    }

    /// Reads the mounts of this process.
    static func kernelsMounts() -> String? {
        FileManager.default.contents(atPath: "/proc/self/mountinfo").map { String(decoding: $0, as: UTF8.self) }
    }
}

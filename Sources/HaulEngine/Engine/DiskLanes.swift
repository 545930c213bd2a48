import HaulCore
import HaulFiles
import HaulLibC
import HaulTransport
import Synchronization

/// Threads and connections for each disk.
///
/// Bytes are written on the threads of the connections, so a disk that does not respond (a frozen file system, a network
/// file system whose server is gone) stops these threads. With lanes, only the downloads to that disk share them.
final class DiskLanes: Sendable {
    /// The resources that the downloads to one disk share.
    struct Lane: Sendable {
        /// The folder that the disk is mounted on.
        let mountPoint: String
        let transport: any Transport
        let nameCache: DirectoryNameCache
        let pulse: LanePulse
    }

    /// Creates the transport of a lane, and returns it with the function that asks its threads for a sign of life.
    typealias MakeTransport = @Sendable () -> (transport: any Transport, ask: LanePulse.Ask)?

    private struct State {
        var lanes: [String: Lane] = [:]
        var isShutDown = false
    }

    /// The maximum number of lanes, each of which can have several threads; further disks share the engine's own.
    static let maxLanes = 32

    private let state = Mutex(State())
    private let system: SystemCalls
    private let mounts: MountCache
    private let make: MakeTransport

    /// Creates lanes, which use no resources yet.
    ///
    /// - Parameter mounts: Returns the text of `/proc/self/mountinfo`; nil if the system has none.
    init(
        system: SystemCalls, mounts: @escaping @Sendable () -> String? = MountCache.kernelsMounts,
        make: @escaping MakeTransport
    ) {
        (self.system, self.mounts, self.make) = (system, MountCache(read: mounts), make)
    }

    /// Returns the lane of the disk that a download writes to, without a look at the disk; nil if the engine's own threads
    /// are to be used.
    func lane(of spec: DownloadSpec, at now: ContinuousClock.Instant) -> Lane? {
        guard let mount = mount(of: spec, at: now) else { return nil }
        return state.withLock { state in
            if let lane = state.lanes[mount.device] { return lane }
            guard !state.isShutDown, state.lanes.count < Self.maxLanes, let made = make() else { return nil }
            let lane = Lane(
                mountPoint: mount.point, transport: made.transport, nameCache: DirectoryNameCache(system: system),
                pulse: LanePulse(ask: made.ask))
            state.lanes[mount.device] = lane
            return lane
        }
    }

    /// Returns the mount that a download writes to, without a look at the disk; nil if it is unknown.
    func mount(of spec: DownloadSpec, at now: ContinuousClock.Instant) -> MountTable.Mount? {
        // A folder for partial files is on the same disk, see `requirePartialFolder`.
        let path =
            switch spec.destination {
            case .file(let path), .folder(let path), .hashed(let path): path
            }
        return mounts.mount(of: path, at: now)
    }

    /// Returns the disks that do not respond, after waiting at most for the limit.
    func blockedDisks(within limit: Duration, clock: TimeSource) async -> [BlockedDisk] {
        let lanes = state.withLock { Array($0.lanes.values) }
        let (answers, continuation) = AsyncStream<Void>.makeStream()
        var asked = 0
        for lane in lanes where lane.pulse.ask(at: clock.now, answered: { continuation.yield() }) { asked += 1 }
        await within(limit) { [asked] in
            var iterator = answers.makeAsyncIterator()
            for _ in 0..<asked where await iterator.next() == nil { return }
        }
        let now = clock.now
        return lanes.compactMap { lane in
            guard let since = lane.pulse.waitingSince else { return nil }
            return BlockedDisk(mountPoint: lane.mountPoint, time: now - since)
        }
        .sorted { $0.mountPoint < $1.mountPoint }
    }

    /// Shuts all lanes down.
    func shutdown() async {
        let lanes = state.withLock { state in
            state.isShutDown = true
            return Array(state.lanes.values)
        }
        // All at once: the threads of a disk that does not respond take longest.
        await withDiscardingTaskGroup { tasks in
            for lane in lanes { tasks.addTask { await lane.transport.shutdown() } }
        }
    }
}

/// Finds out whether the threads of a lane do their work.
final class LanePulse: Sendable {
    /// Calls a function once all threads have responded.
    typealias Ask = @Sendable (_ answered: @escaping @Sendable () -> Void) -> Void

    private let question: Ask
    private let asked = Mutex<ContinuousClock.Instant?>(nil)

    /// Creates a pulse.
    init(ask: @escaping Ask) { question = ask }

    /// The time of the question that is still unanswered; nil if all are answered.
    var waitingSince: ContinuousClock.Instant? { asked.withLock(\.self) }

    /// Asks for a sign of life, unless an earlier question was not answered yet.
    ///
    /// - Parameter answered: Called when all threads have answered.
    /// - Returns: True if the question was asked.
    func ask(at now: ContinuousClock.Instant, answered: @escaping @Sendable () -> Void) -> Bool {
        let isNew = asked.withLock { asked in
            guard asked == nil else { return false }
            asked = now
            return true
        }
        guard isNew else { return false }
        question { [self] in
            asked.withLock { $0 = nil }
            answered()
        }
        return true
    }
}

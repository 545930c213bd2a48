import Haul
import HaulCore
import HaulTestData
import Synchronization
import Testing

/// One sequence at work: a server, a folder, a manager that comes and goes, and what is known about them.
final class ModelWorld {
    /// The process with the list.
    let trial: ManagerTrial
    /// The program, where it is another process: then the one with the list is a daemon.
    let program: ModelProgram?
    let site: ModelSite
    /// Said with every finding, so that it can be had again.
    let name: Comment
    var ids: [Int: DownloadID] = [:]
    var ledger = ModelLedger()
    /// All state events that the one subscriber that stays has heard.
    var received: [DownloadEvent] = []
    /// In the background: all that programs were told at their launch.
    var missed: [DownloadEvent] = []
    /// In the background: what subscribers have heard that has not been checked yet.
    var subscribers: [HeardEvents] = []
    /// Whether progress may be told of a run whose start was not recorded any more, as a process was killed.
    var mayStray = false
    var recorder: EventRecorder?
    /// For what a sequence leaves open.
    var random: SeededGenerator
    private var flights: [Task<Void, Never>] = []
    let flying = Flying()

    init(_ trial: ManagerTrial, seed: UInt64, program: ModelProgram? = nil) throws {
        (self.trial, self.program) = (trial, program)
        site = ModelSite(trial.server)
        name = "HAUL_MODEL_SEED=\(seed)"
        random = SeededGenerator(seed: ~seed)
        recorder = EventRecorder(try manager, since: 0)
    }

    /// The manager that gets the commands.
    var manager: DownloadManager {
        get throws { try program?.manager ?? trial.manager }
    }

    /// Whether commands are under way for which nobody waits.
    var isFlying: Bool { flying.count > 0 }

    /// Does a step.
    func perform(_ step: ModelStep) async throws {
        switch step.action {
        case .add(let slot, let paused): try await add(slot, paused: paused)
        case .one(let slot, let verb):
            guard let id = ids[slot] else { return }
            await command(step.waits) { [spec = spec(slot)] in try await verb.perform(id, $0, spec) }
        case .many(let scope, let verb): await command(step.waits) { try await verb.perform(scope.filter, $0) }
        case .limit(let limit, let order):
            let manager = try manager
            var settings = try await manager.currentSettings
            (settings.limit, settings.order) = (limit, order == .fifo ? .fifo : .lifo)
            try await manager.update(settings)
        case .fault(let slot, let fault): site.fault(slot, fault)
        case .heal(let slot): site.heal(slot)
        case .relaunch(let kill, let resumes): try await relaunch(kill: kill, resumes: resumes)
        case .bytes(let count): await pass(count)
        case .event: await nextEvent()
        case .turns(let count): for _ in 0..<count { _ = try await trial.manager.summary() }
        }
    }

    func spec(_ slot: Int) -> @Sendable (ModelSource) -> String {
        { [server = trial.server] in server.url(ModelSite.path(slot, $0)) }
    }

    func add(_ slot: Int, paused: Bool = false) async throws {
        var spec = trial.spec(ModelSite.path(slot, .original), "f\(slot)", connections: 1 + slot % 3)
        spec.startsPaused = paused
        spec.group = slot.isMultiple(of: 2) ? "even" : "odd"
        spec.onConflict = slot.isMultiple(of: 3) ? .replace : .fail
        // The last ones take their name from the URL.
        if slot > 2 { spec.destination = .folder(path: trial.folder.path) }
        let download = try await manager.add(spec)
        ids[slot] = download.id
        recorder?.add(download)
    }

    /// Gives a command, and has it go on alone where nobody waits for it.
    private func command(_ waits: Bool, _ body: @escaping @Sendable (DownloadManager) async throws -> Void) async {
        guard let manager = try? manager else { return }
        let (name, flying) = (name, flying)
        flying.add(1)
        let flight = Task {
            do {
                try await body(manager)
            } catch let error as DownloadError {
                // It may not fit the state, or a process may have ended meanwhile.
                let isExpected = [.notPossible, .noSuchDownload].contains(error.code) || flying.mayFail
                if !isExpected { Issue.record("a command failed: \(error); \(name)") }
            } catch {
                Issue.record(error, name)
            }
            flying.add(-1)
        }
        if waits { await flight.value } else { flights.append(flight) }
    }

    /// Waits for commands that go on alone.
    func land() async {
        for flight in flights { await flight.value }
        flights = []
    }

    // MARK: - Time

    /// Waits until the server has sent so many bytes more, or nothing is left to do.
    private func pass(_ bytes: Int64) async {
        let (server, target) = (trial.server, trial.server.totalBodyBytes + bytes)
        await orIdle { _ = try? await server.until { $0.totalBodyBytes >= target } }
    }

    private func nextEvent() async {
        guard let manager = try? manager else { return }
        let since = manager.lastEventNumber
        await orIdle {
            for await event in manager.events(since: since).uncancelled where event.kind.isNumbered { return }
        }
    }

    private func orIdle(_ body: @escaping @Sendable () async -> Void) async {
        guard let manager = try? manager else { return }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await body() }
            tasks.addTask { await manager.idle() }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}

/// How many commands are under way, and whether they may fail because a process has ended.
final class Flying: Sendable {
    private let state = Mutex<(count: Int, mayFail: Bool)>((0, false))

    var count: Int { state.withLock { $0.count } }
    var mayFail: Bool { state.withLock { $0.mayFail } }
    func add(_ change: Int) { state.withLock { $0.count += change } }
    func set(mayFail: Bool) { state.withLock { $0.mayFail = mayFail } }
}

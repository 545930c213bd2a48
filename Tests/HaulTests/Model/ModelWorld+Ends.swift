import Haul
import HaulCore
import HaulManager
import HaulTesting
import HaulWire
import Testing

@testable import HaulLocal

/// The ends of processes, and what they leave.
extension ModelWorld {
    /// Which processes end and begin again, where the program is another one than the daemon.
    private enum Leaving: CaseIterable {
        case program, daemon, programFirst, daemonFirst
    }

    func relaunch(kill: Bool, resumes: Bool) async throws {
        let leaving = program == nil ? nil : Leaving.allCases.randomElement(using: &random)
        switch leaving {
        case nil, .daemon:
            try await end(kill: kill)
            try await launch(resumes: resumes)
        case .program:
            try await leave(hearsAll: Bool.random(using: &random))
            try await arrive()
        case .programFirst:
            try await leave(hearsAll: Bool.random(using: &random))
            try await end(kill: kill)
            try await launch(resumes: resumes)
            try await arrive()
        case .daemonFirst:
            try await end(kill: kill)
            try await leave(hearsAll: false)
            try await launch(resumes: resumes)
            try await arrive()
        }
    }

    private func launch(resumes: Bool) async throws {
        let manager = try await trial.launch { $0.resumesAtLaunch = resumes }
        if let program { return try await program.serve(trial) }
        recorder = EventRecorder(manager, since: received.last?.number ?? 0)
    }

    /// The end of a sequence.
    func finish() async throws {
        if let program {
            // The live events, and those for the next program, are all events.
            try await leave(hearsAll: true)
            try await arrive()
            recorder = nil
            await program.close()
            let log = try await trial.manager.allEvents().map(Self.transmitted)
            #expect(received == log, name)
            #expect(missed == log, name)
        }
        try await end(kill: false)
    }

    /// Ends the process with the list and looks at what it has left.
    func end(kill: Bool) async throws {
        weak let manager: LocalManager? = try trial.manager.local
        let wasFlying = isFlying
        // What an earlier kill has interrupted may not be completed yet.
        let isCleaning = await manager?.isCleaning ?? false
        // In the background, commands under way find no daemon any more.
        flying.set(mayFail: kill || program != nil)
        // As the system closes the sockets of a process before others notice its end, and as a daemon stops listening
        // before it closes its list.
        await program?.stopServing()
        if kill { await trial.kill() } else { await trial.close() }
        await land()
        flying.set(mayFail: false)
        if program == nil { await hearLast(afterKill: kill) } else if kill { mayStray = true }
        try inspect(afterKill: kill, lenient: kill && (wasFlying || isCleaning))
        try await expectNothingHeld { manager == nil }
    }

    /// Takes what subscribers in the process with the list have heard: all of them the same.
    private func hearLast(afterKill: Bool) async {
        let received = await recorder?.received()
        recorder = nil
        self.received += received?.all.states ?? []
        // A process that is being killed may still tell of a run whose start was not recorded any more.
        var faults = (received?.all.faults ?? []) + (afterKill ? [] : received?.all.strays ?? [])
        for (id, single) in received?.single ?? [:] {
            faults += single.faults + (afterKill ? [] : single.strays)
            guard let since = single.since else { continue }
            let right = received?.all.states.filter { $0.download == id && $0.number > since }
            if single.states != right {
                faults.append("the subscriber of \(id) heard \(single.states), not \(right ?? [])")
            }
        }
        for fault in faults { Issue.record("\(fault) \(name)") }
    }

    // MARK: - The program in the background

    /// The program ends, whatever becomes of the daemon.
    ///
    /// - Parameter hearsAll: True if its subscribers hear first all that has happened; otherwise each has heard what it
    ///   happened to get.
    private func leave(hearsAll: Bool) async throws {
        guard let program, let recorder else { return }
        weak let backend: (any ManagerBackend)? = try program.manager.backend
        let log = hearsAll ? try await trial.manager.allEvents() : nil
        if let log { try await withinMinute("it does not hear all events") { await recorder.hear(log) } }
        flying.set(mayFail: true)
        await program.close()
        await land()
        flying.set(mayFail: false)
        let heard = await recorder.received()
        self.recorder = nil
        let last = log?.last?.number
        subscribers.append(HeardEvents(download: nil, since: received.last?.number ?? 0, heard.all, isCompleteTo: last))
        for (id, single) in heard.single {
            guard let since = single.since else {
                // The first event is a snapshot, if the download still exists.
                let isRemoved = log?.contains { $0.download == id && $0.kind.isRemoval } ?? true
                if !isRemoved { Issue.record("the subscriber of \(id) heard nothing; \(name)") }
                continue
            }
            subscribers.append(HeardEvents(download: id, since: since, single, isCompleteTo: last))
        }
        received += heard.all.states
        let all = [heard.all] + heard.single.values
        for fault in all.flatMap({ $0.faults + (mayStray ? [] : $0.strays) }) { Issue.record("\(fault) \(name)") }
        mayStray = false
        for _ in 0..<10_000 where backend != nil { await Task.yield() }
        #expect(backend == nil, "something still holds the program's manager; \(name)")
    }

    /// The program begins again: it reads what it has missed, and listens from where it stopped.
    private func arrive() async throws {
        guard let program else { return }
        let manager = try await program.launch()
        for try await event in manager.missedEvents { missed.append(event) }
        recorder = EventRecorder(manager, since: received.last?.number ?? 0, running: received.running)
    }

    /// An event as the API transmits it: without what only the daemon has to know of a file.
    private static func transmitted(_ event: DownloadEvent) throws -> DownloadEvent {
        try WireJSON.decode(EventMessage.self, from: WireJSON.encode(EventMessage(event))).reported
    }

    /// Checks what subscribers in the background have heard against all events so far.
    func expectHeard(_ log: [DownloadEvent]) throws {
        let log = try log.map(Self.transmitted)
        #expect(log.starts(with: received), name)
        #expect(log.starts(with: missed), name)
        for subscriber in subscribers {
            if let fault = subscriber.fault(log) { Issue.record("\(fault) \(name)") }
        }
        subscribers = []
    }
}

/// What a subscriber in the background has heard: without gaps, up to some event.
struct HeardEvents {
    /// The only download; nil: all.
    let download: DownloadID?
    let since: Int64
    let states: [DownloadEvent]
    /// The number up to which nothing may be missing.
    let isCompleteTo: Int64?

    init(download: DownloadID?, since: Int64, _ received: EventRecorder.Received, isCompleteTo: Int64?) {
        (self.download, self.since, states) = (download, since, received.states)
        self.isCompleteTo = isCompleteTo
    }

    /// What is wrong about it; nil if nothing is.
    func fault(_ log: [DownloadEvent]) -> String? {
        let right = log.filter { (download == nil || $0.download == download) && $0.number > since }
        let isComplete = isCompleteTo.map { last in states.count >= right.count { $0.number <= last } } ?? true
        guard !isComplete || !right.starts(with: states) else { return nil }
        let who = download.map { "the subscriber of \($0)" } ?? "the subscriber of all"
        return "\(who) heard \(states), not \(right)\(isCompleteTo.map { ", complete to \($0)" } ?? "")"
    }
}

extension DownloadEvent.Kind {
    /// Whether the download is gone.
    fileprivate var isRemoval: Bool {
        if case .removed = self { true } else { false }
    }
}

import Foundation
import HaulCore
import HaulTestData
import Testing

@Suite("The decisions over the system's transfer service")
struct SessionMachineTests {
    typealias Machine = SessionMachine

    static let id = DownloadID(rawValue: 7)
    static let label = SessionLabel(download: id, source: "a")
    static let lost = DownloadError(.connectionFailed, "lost")

    /// A machine, and what it has wanted so far.
    struct Trial {
        var machine: Machine
        var random = SeededGenerator(seed: 1)

        init(
            files: [DownloadID: String] = [:], resumeData: [DownloadID: String] = [:], tasks: [Machine.HeldTask] = [],
            standing: Machine.Standing = .wanted
        ) {
            machine = Machine(files: files, resumeData: resumeData)
            opening = machine.handle(.opened(tasks, [SessionMachineTests.id: standing]), using: &random)
        }

        var opening: [Machine.Effect] = []

        mutating func handle(_ event: Machine.Event) -> [Machine.Effect] { machine.handle(event, using: &random) }

        mutating func run(_ source: String = "a", retries: Int = 3, mayBePublished: Bool = false) -> [Machine.Effect] {
            handle(
                .run(
                    SessionMachineTests.id, source: source, RetryPolicy(limit: retries),
                    mayBePublished: mayBePublished))
        }
    }

    static func held(_ task: Int, _ received: Int64 = 0, _ label: SessionLabel? = label) -> Machine.HeldTask {
        Machine.HeldTask(id: SystemTaskID(rawValue: task), label: label, received: received)
    }

    static func start(_ source: String = "a", fromResumeData: Bool = false) -> Machine.Effect {
        .start(id, source: source, fromResumeData: fromResumeData, after: .zero)
    }

    /// The seeds: 4,000, or as many as `HAUL_SESSION_COUNT` says, in groups of 100, or the one of `HAUL_SESSION_SEED`.
    static let groups: [Range<UInt64>] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["HAUL_SESSION_SEED"].flatMap(UInt64.init) { return [seed..<(seed + 1)] }
        let count = environment["HAUL_SESSION_COUNT"].flatMap(UInt64.init) ?? 4000
        return stride(from: 0, to: count, by: 100).map { $0..<min($0 + 100, count) }
    }()

    @Test("kills, relaunches, late and repeated reports keep the promises", arguments: groups)
    func seeds(_ seeds: Range<UInt64>) {
        for seed in seeds {
            var world = SessionWorld(seed: seed)
            for _ in 0..<150 where world.faults.isEmpty { world.step() }
            if world.faults.isEmpty { world.settle() }
            let faults = world.faults.prefix(3)
            #expect(faults.isEmpty, "HAUL_SESSION_SEED=\(seed)")
        }
    }

    @Test("a download that the system does not know gets a task, and ends once when its file is verified")
    func plain() {
        var trial = Trial()
        let task = SystemTaskID(rawValue: 1)
        #expect(trial.run() == [Self.start()])
        #expect(trial.handle(.started(Self.id, task)) == [])
        #expect(
            trial.handle(.progress(task, Self.label, received: 5, total: 9)) == [
                .report(Self.id, received: 5, total: 9)
            ])
        #expect(trial.machine.takes(task, Self.label, .wanted))
        #expect(trial.handle(.delivered(task, Self.label, .kept)) == [.check(Self.id)])
        #expect(!trial.machine.takes(task, Self.label, .wanted))
        #expect(trial.handle(.completed(task, Self.label, .success, .wanted)) == [])
        #expect(trial.handle(.checked(Self.id, .finished)) == [.end(Self.id, .finished), .dropFile(Self.id)])
        #expect(trial.handle(.checked(Self.id, .finished)) == [])
    }

    @Test("at launch a wanted task continues, a paused one gives up its data, and any other is cancelled")
    func launch() {
        let task = SystemTaskID(rawValue: 3)
        var wanted = Trial(tasks: [Self.held(3)])
        #expect(wanted.opening == [] && wanted.run() == [])
        #expect(wanted.machine.work(Self.id) == .held(task))
        var paused = Trial(tasks: [Self.held(3)], standing: .kept)
        #expect(paused.opening == [.cancelKeeping(task)])
        #expect(
            paused.handle(.resumeData(task, isThere: true)) == [.storeResumeData(Self.id, source: "a")])
        #expect(paused.run() == [Self.start(fromResumeData: true)])
        #expect(Trial(tasks: [Self.held(3)], standing: .gone).opening == [.cancel(task)])
        #expect(Trial(tasks: [Self.held(3, 0, nil)]).opening == [.cancel(task)])
        // Of two tasks for one download, the one with more bytes continues.
        #expect(Trial(tasks: [Self.held(3, 10), Self.held(4, 20)]).opening == [.cancel(task)])
    }

    @Test("a file that came while nothing ran is verified by the next run, without a task")
    func deliveredBefore() {
        var trial = Trial(files: [Self.id: "a"], tasks: [Self.held(3)])
        #expect(trial.opening == [.cancel(SystemTaskID(rawValue: 3))])
        #expect(trial.run() == [.check(Self.id)])
        #expect(trial.handle(.stop(Self.id, leavesTask: false)) == [.stopCheck(Self.id)])
        #expect(trial.handle(.checked(Self.id, .stopped)) == [.end(Self.id, .stopped)])
        #expect(trial.run() == [.check(Self.id)])
        let full = DownloadError(.noSpace, "full")
        #expect(trial.handle(.checked(Self.id, .failed(full))) == [.end(Self.id, .failed(full))])
        let wrong = DownloadError(.checksumMismatch, "wrong")
        #expect(trial.run() == [.check(Self.id)])
        #expect(
            trial.handle(.checked(Self.id, .failed(wrong))) == [.dropFile(Self.id), .end(Self.id, .failed(wrong))])
        #expect(trial.run() == [Self.start()])
    }

    @Test("nothing of another source is used")
    func otherSource() {
        var trial = Trial(files: [Self.id: "a"])
        #expect(trial.run("b") == [.dropFile(Self.id), Self.start("b")])
        var resuming = Trial(resumeData: [Self.id: "a"])
        #expect(resuming.run("b") == [.dropResumeData(Self.id), Self.start("b")])
        var held = Trial(tasks: [Self.held(3)])
        #expect(held.run("b") == [.cancel(SystemTaskID(rawValue: 3)), Self.start("b")])
        #expect(!held.machine.takes(SystemTaskID(rawValue: 3), Self.label, .wanted))
    }

    @Test("a pause ends when the resume data have come, whatever comes first", arguments: [true, false])
    func pause(completedFirst: Bool) {
        var trial = Trial(tasks: [Self.held(3)])
        let task = SystemTaskID(rawValue: 3)
        #expect(trial.run() == [])
        #expect(trial.handle(.stop(Self.id, leavesTask: false)) == [.cancelKeeping(task)])
        if completedFirst {
            #expect(
                trial.handle(.completed(task, Self.label, .failure(Self.lost, hasResumeData: false), .kept)) == [])
        }
        #expect(
            trial.handle(.resumeData(task, isThere: true)) == [
                .storeResumeData(Self.id, source: "a"), .end(Self.id, .stopped),
            ])
        #expect(
            trial.handle(.completed(task, Self.label, .failure(Self.lost, hasResumeData: false), .kept)) == [])
        #expect(trial.run() == [Self.start(fromResumeData: true)])
        // They are kept until the task has them.
        #expect(trial.handle(.started(Self.id, SystemTaskID(rawValue: 4))) == [.dropResumeData(Self.id)])
    }

    @Test("the end of the manager leaves the task to the system")
    func closed() {
        var trial = Trial(tasks: [Self.held(3)])
        #expect(trial.run() == [])
        #expect(trial.handle(.stop(Self.id, leavesTask: true)) == [.end(Self.id, .stopped)])
        #expect(trial.machine.work(Self.id) == .held(SystemTaskID(rawValue: 3)))
        // It ends before the process does.
        #expect(trial.machine.takes(SystemTaskID(rawValue: 3), Self.label, .wanted))
        #expect(trial.handle(.delivered(SystemTaskID(rawValue: 3), Self.label, .kept)) == [])
        #expect(trial.run() == [.check(Self.id)])
    }

    @Test("a failed attempt is repeated from its resume data, and not for ever")
    func retries() {
        var trial = Trial()
        #expect(trial.run(retries: 1) == [Self.start()])
        #expect(trial.handle(.started(Self.id, SystemTaskID(rawValue: 1))) == [])
        let first = trial.handle(
            .completed(SystemTaskID(rawValue: 1), Self.label, .failure(Self.lost, hasResumeData: true), .wanted))
        #expect(first.count == 3 && first.first == .storeResumeData(Self.id, source: "a"))
        guard case .reportWait(_, Self.lost, attempt: 1, let wait) = first[1],
            case .start(_, _, fromResumeData: true, after: let delay) = first[2]
        else {
            Issue.record("\(first)")
            return
        }
        #expect(wait == delay && delay > .zero)
        // Resume data that the system refuses are not tried again.
        #expect(
            trial.handle(.notStarted(Self.id, DownloadError(.internal, "no"))) == [
                .dropResumeData(Self.id), Self.start(),
            ])
        #expect(trial.handle(.started(Self.id, SystemTaskID(rawValue: 2))) == [])
        let second = trial.handle(
            .completed(SystemTaskID(rawValue: 2), Self.label, .failure(Self.lost, hasResumeData: false), .wanted))
        #expect(second == [.end(Self.id, .failed(Self.lost))])
    }

    @Test("a file of no use ends the run, or is fetched again after the wait that the server wants")
    func unusable() {
        let error = DownloadError(.serverBusy, "busy")
        for (again, isEnd) in [(DeliveryVerdict.Again.never, true), (.after(seconds: 60), false)] {
            var trial = Trial()
            #expect(trial.run() == [Self.start()])
            #expect(trial.handle(.started(Self.id, SystemTaskID(rawValue: 1))) == [])
            let effects = trial.handle(
                .delivered(SystemTaskID(rawValue: 1), Self.label, .unusable(error, again)))
            if isEnd {
                #expect(effects == [.end(Self.id, .failed(error))])
            } else {
                #expect(effects.first == .reportWait(Self.id, error, attempt: 1, .seconds(60)))
            }
        }
    }

    @Test("a file that a killed process has named is found before anything is fetched")
    func published() {
        var trial = Trial()
        #expect(trial.run(mayBePublished: true) == [.check(Self.id)])
        #expect(trial.handle(.checked(Self.id, .finished)) == [.end(Self.id, .finished)])
        var other = Trial()
        #expect(other.run(mayBePublished: true) == [.check(Self.id)])
        #expect(other.handle(.checked(Self.id, .missing)) == [Self.start()])
    }

    @Test("what was discarded is not found again, even if the system delivers it late")
    func discarded() {
        var trial = Trial(tasks: [Self.held(3)])
        let task = SystemTaskID(rawValue: 3)
        #expect(trial.handle(.discard(Self.id)) == [.cancel(task)])
        #expect(!trial.machine.takes(task, Self.label, .wanted))
        #expect(
            trial.handle(.completed(task, Self.label, .failure(Self.lost, hasResumeData: true), .wanted)) == [])
    }

    @Test("the system gets its answer once, after the running verifications")
    func answer() {
        var trial = Trial(files: [Self.id: "a"])
        #expect(trial.run() == [.check(Self.id)])
        #expect(trial.handle(.eventsDelivered) == [])
        #expect(
            trial.handle(.checked(Self.id, .finished)) == [.end(Self.id, .finished), .dropFile(Self.id), .answer])
        #expect(trial.handle(.discard(Self.id)) == [])
    }
}

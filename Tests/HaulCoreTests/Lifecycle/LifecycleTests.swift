import HaulCore
import Testing

@Suite("The lifecycle of a record: all states, all commands")
struct LifecycleTests {
    typealias Command = Lifecycle.Command
    typealias Effect = Lifecycle.Effect

    /// Every combination that can occur: a run belongs to a download that was granted and not yet ended.
    static let all: [Lifecycle] =
        StoredState.allCases.map { Lifecycle($0) } + [Lifecycle(.active, run: .going)]
        + [StoredState.queued, .paused, .cancelled].map { Lifecycle($0, run: .stopping(.rest)) }
        + [Lifecycle(.cancelled, run: .stopping(.discard))]
        + RemovedFiles.allCases.map { Lifecycle(.cancelled, run: .stopping(.remove($0))) }
    static let commands: [Command] =
        [
            .grant, .pause, .resume, .restart, .cancel(keepPartial: true), .cancel(keepPartial: false),
            .retry(fromStart: true), .retry(fromStart: false), .replaceSource, .lackCredentials,
        ] + RemovedFiles.allCases.map { .remove($0) } + Lifecycle.RunEnd.allCases.map { .ended($0) }

    static func effects(_ response: Lifecycle.Answer) -> [Effect] {
        if case .done(let effects) = response { effects } else { [] }
    }

    static func isForgotten(_ effects: [Effect]) -> Bool {
        effects.contains { if case .forget = $0 { true } else { false } }
    }

    @Test("only combinations that can occur follow", arguments: all, commands)
    func closed(before: Lifecycle, command: Command) {
        var after = before
        let effects = Self.effects(after.handle(command))
        if !Self.isForgotten(effects) { #expect(Self.all.contains(after)) }
    }

    @Test("a refused or unnecessary command changes nothing", arguments: all, commands)
    func refused(before: Lifecycle, command: Command) {
        var after = before
        if case .done = after.handle(command) { return }
        #expect(after == before)
    }

    @Test("whoever is queued without a run is in the scheduler's hands, and nobody else is", arguments: all, commands)
    func scheduled(before: Lifecycle, command: Command) {
        var after = before
        let effects = Self.effects(after.handle(command))
        var isWaiting = before == Lifecycle(.queued)
        for effect in effects {
            switch effect {
            case .enqueue, .awaitSpace:
                #expect(!isWaiting)
                isWaiting = true
            case .dequeue:
                #expect(isWaiting)
                isWaiting = false
            case .start: isWaiting = false
            case .stop, .discard, .delete, .forget, .emit: break
            }
        }
        #expect(isWaiting == (after == Lifecycle(.queued) && !Self.isForgotten(effects)))
    }

    @Test("a run is started where there is none, and stopped where one goes", arguments: all, commands)
    func runs(before: Lifecycle, command: Command) {
        var after = before
        let effects = Self.effects(after.handle(command))
        #expect(effects.contains(.start) == (before.run == .none && after.run == .going))
        let stops = if case .stopping = after.run { before.run == .going } else { false }
        #expect(effects.contains(.stop) == stops)
    }

    @Test("files of a download are removed only while it has no run", arguments: all, commands)
    func files(before: Lifecycle, command: Command) {
        var after = before
        let effects = Self.effects(after.handle(command))
        if effects.contains(where: { if case .delete = $0 { true } else { $0 == .discard } }) {
            #expect(after.run == .none)
        }
    }

    @Test("a download that never ran has no files to remove", arguments: StoredState.allCases, commands)
    func neverRan(state: StoredState, command: Command) {
        var (ran, neverRan) = (Lifecycle(state), Lifecycle(state, hasBegun: false))
        let (usual, fewer) = (Self.effects(ran.handle(command)), Self.effects(neverRan.handle(command)))
        #expect(fewer == usual.filter { if case .delete = $0 { false } else { $0 != .discard } })
        #expect((neverRan.state, neverRan.run) == (ran.state, ran.run))
        #expect(neverRan.hasBegun == (command == .grant && state == .queued))
    }

    @Test("the end of a run is told exactly once", arguments: all.filter { $0.run != .none }, Lifecycle.RunEnd.allCases)
    func end(before: Lifecycle, end: Lifecycle.RunEnd) {
        var after = before
        let effects = Self.effects(after.handle(.ended(end)))
        #expect(after.run == .none)
        let ends = effects.filter { effect in
            switch effect {
            case .emit(.paused), .emit(.cancelled), .emit(.finished), .emit(.failed), .emit(.held), .emit(.short),
                .emit(.credentials),
                .emit(.interrupted), .forget:
                true
            case .emit(.resumed), .emit(.sourceReplaced), .enqueue, .dequeue, .start, .stop, .awaitSpace, .discard,
                .delete:
                false
            }
        }
        #expect(ends.count == 1)
    }

    @Test("no end of a run is told while it goes on", arguments: all.filter { $0.run != .none }, commands)
    func noEndBefore(before: Lifecycle, command: Command) {
        if case .ended = command { return }
        var after = before
        for effect in Self.effects(after.handle(command)) {
            #expect([.stop, .emit(.sourceReplaced)].contains(effect))
        }
    }

    @Test(
        "a finished file counts, whatever was asked meanwhile, but for a removal",
        arguments: all.filter { $0.run != .none })
    func finished(before: Lifecycle) {
        var after = before
        let effects = Self.effects(after.handle(.ended(.finished)))
        if case .stopping(.remove(let files)) = before.run {
            #expect(effects.last == .forget(files))
        } else {
            #expect(after == Lifecycle(.finished))
            #expect(effects == [.emit(.finished)])
        }
    }

    @Test("nothing but a grant begins a run", arguments: all, commands)
    func grant(before: Lifecycle, command: Command) {
        var after = before
        let effects = Self.effects(after.handle(command))
        #expect(effects.contains(.start) == (command == .grant && before == Lifecycle(.queued)))
    }

    @Test(
        "a removal removes at least the files that an earlier command has promised",
        arguments: all.filter { $0.run != .none }, RemovedFiles.allCases)
    func promisedFiles(before: Lifecycle, files: RemovedFiles) {
        let order = RemovedFiles.allCases
        let promised: RemovedFiles =
            switch before.run {
            case .stopping(.remove(let files)): files
            case .stopping(.discard): .partial
            case .stopping(.rest), .going, .none: .none
            }
        let expected = order.last { $0 == promised || $0 == files }
        var after = before
        #expect(Self.effects(after.handle(.remove(files))) == (before.run == .going ? [.stop] : []))
        #expect(expected.map { after.run == .stopping(.remove($0)) } == true)
    }

    @Test("interrupted by the end of its manager it stays active, to go on first at the next launch")
    func interrupted() {
        var life = Lifecycle(.active, run: .going)
        #expect(life.handle(.ended(.stopped)) == .done([.emit(.interrupted)]))
        #expect(life == Lifecycle(.active))
    }

    @Test("paused and resumed before the run has stopped: it stops, and goes on")
    func quickResume() {
        var life = Lifecycle(.active, run: .going)
        #expect(life.handle(.pause) == .done([.stop]))
        #expect(life.handle(.resume) == .done([]))
        #expect(life.handle(.ended(.stopped)) == .done([.emit(.paused), .emit(.resumed), .enqueue]))
    }

    @Test("restarted, a run stops, and the download is queued again; without a run, it is resumed")
    func restart() {
        var life = Lifecycle(.active, run: .going)
        #expect(life.handle(.restart) == .done([.stop]))
        #expect(life == Lifecycle(.queued, run: .stopping(.rest)))
        #expect(life.handle(.restart) == .unchanged)
        #expect(life.handle(.ended(.stopped)) == .done([.emit(.paused), .emit(.resumed), .enqueue]))
        var paused = Lifecycle(.paused)
        #expect(paused.handle(.restart) == .done([.enqueue, .emit(.resumed)]))
    }

    @Test("an expired link waits for another one and goes on with it")
    func expired() {
        var life = Lifecycle(.active, run: .going)
        #expect(life.handle(.ended(.expired)) == .done([.emit(.held)]))
        #expect(life.handle(.resume) == .refused(.needsSource))
        #expect(life.handle(.replaceSource) == .done([.emit(.sourceReplaced), .emit(.resumed), .enqueue]))
        #expect(life == Lifecycle(.queued))
    }
}

import Dispatch
import HaulLibC
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as values.
///
/// The first asks the run to save and end; the second leaves at once.
///
/// Dispatch delivers signals on a queue of its own, so nothing runs in a signal handler, and output that blocks can't
/// keep the second Ctrl-C from working.
package final class SignalWatcher: Sendable {
    /// A second signal counts only after this time.
    private let pause: Duration
    private let interrupt: Int32
    private let terminate: Int32
    private let hangup: Int32
    private let queue = DispatchQueue(label: "haul.signals")
    private let sources = Mutex<[DispatchSource]>([])
    private let asked = Mutex<ContinuousClock.Instant?>(nil)

    /// Makes a watcher that watches nothing yet, for the three signals or others in their place.
    package init(
        pause: Duration = .milliseconds(300), interrupt: Int32 = SIGINT, terminate: Int32 = SIGTERM,
        hangup: Int32 = SIGHUP
    ) {
        (self.pause, self.interrupt, self.terminate, self.hangup) = (pause, interrupt, terminate, hangup)
    }

    /// Begins to watch; `stop` is called at most once, on the watcher's queue, `resumed` after each SIGCONT.
    ///
    /// Dispatch takes a signal over a moment later, on a thread of its own; until then it does what it would have done. `watching` is
    /// called for each of them when it has. A hangup that is ignored already, as under nohup(1), stays ignored.
    package func start(
        stop: @escaping @Sendable (StopReason) -> Void, resumed: @escaping @Sendable () -> Void,
        watching: @escaping @Sendable () -> Void = {}
    ) {
        ignore(SIGPIPE)
        watch(interrupt, watching) { [self] in signalled(interrupt, .interrupt, stop) }
        watch(terminate, watching) { [self] in signalled(terminate, .terminate, stop) }
        if !isIgnored(hangup) { watch(hangup, watching) { [self] in signalled(hangup, .hangup, stop) } }
        watch(SIGCONT, watching, resumed)
    }

    /// Ends the watch; later signals have no effect.
    package func end() {
        sources.withLock { list in
            for source in list { source.cancel() }
            list = []
        }
    }

    private func signalled(_ number: Int32, _ reason: StopReason, _ stop: @Sendable (StopReason) -> Void) {
        let now = ContinuousClock.now
        let first = asked.withLock { instant in
            defer { instant = instant ?? now }
            return instant
        }
        guard let first else { return stop(reason) }
        // timeout(1) and shells send a signal to the process and to its group: it comes twice and is one wish.
        guard now - first >= pause else { return }
        // What is on the disk is the journal's: leaving now loses nothing but a few milliseconds of work.
        _exit(128 + number)
    }

    private func watch(
        _ number: Int32, _ watching: @escaping @Sendable () -> Void, _ handler: @escaping @Sendable () -> Void
    ) {
        #if canImport(Darwin)
            // kqueue sees the signal even where it is ignored; on Linux, Dispatch takes the disposition over itself.
            if number != SIGCONT { ignore(number) }
        #endif
        let made = DispatchSource.makeSignalSource(signal: number, queue: queue)
        made.setEventHandler(handler: handler)
        made.setRegistrationHandler(handler: watching)
        made.activate()
        guard let source = made as? DispatchSource else { return }
        sources.withLock { $0.append(source) }
    }

    private func ignore(_ number: Int32) {
        _ = signal(number, SIG_IGN)
    }

    private func isIgnored(_ number: Int32) -> Bool {
        let before = signal(number, SIG_IGN)
        // Unsafe: of a handler only the address is compared; signal(2) has numbers in place of some.
        if unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return true }
        _ = signal(number, before)
        return false
    }
}

import Dispatch
import HaulLibC
import Synchronization

/// Delivers SIGINT, SIGTERM and SIGHUP as values.
///
/// The first one asks the run to save its state and end; the second one exits immediately.
///
/// Dispatch delivers signals on its own queue, so nothing runs in a signal handler, and blocked output cannot keep the
/// second Ctrl-C from working.
package final class SignalWatcher: Sendable {
    /// The minimum time between the first signal and a second one that counts.
    private let pause: Duration
    private let interrupt: Int32
    private let terminate: Int32
    private let hangup: Int32
    private let queue = DispatchQueue(label: "haul.signals")
    private let sources = Mutex<[DispatchSource]>([])
    private let asked = Mutex<ContinuousClock.Instant?>(nil)

    /// Makes an inactive watcher for the three signals, or for others in their place.
    package init(
        pause: Duration = .milliseconds(300), interrupt: Int32 = SIGINT, terminate: Int32 = SIGTERM,
        hangup: Int32 = SIGHUP
    ) {
        (self.pause, self.interrupt, self.terminate, self.hangup) = (pause, interrupt, terminate, hangup)
    }

    /// Starts to watch.
    ///
    /// `stop` is called at most once, on the watcher's queue; `resumed` is called after each SIGCONT.
    ///
    /// Dispatch takes over a signal slightly later, on its own thread; until then the signal keeps its previous effect.
    /// `watching` is called for each of the signals once it is taken over. A hangup that is ignored at the start, as
    /// under nohup(1), stays ignored.
    package func start(
        stop: @escaping @Sendable (StopReason) -> Void, resumed: @escaping @Sendable () -> Void,
        watching: @escaping @Sendable () -> Void = {}
    ) {
        ignore(SIGPIPE)
        // The write beyond the limit fails instead (EFBIG), and the data is kept.
        ignore(SIGXFSZ)
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
        // timeout(1) and shells send a signal both to the process and to its group: it arrives twice but means one
        // request.
        guard now - first >= pause else { return }
        // The journal protects what is on disk: exiting now loses only a few milliseconds of work.
        _exit(128 + number)
    }

    private func watch(
        _ number: Int32, _ watching: @escaping @Sendable () -> Void, _ handler: @escaping @Sendable () -> Void
    ) {
        #if canImport(Darwin)
            // kqueue reports a signal even if it is ignored; on Linux, Dispatch changes the disposition itself.
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
        // Unsafe: only the address of a handler is compared; signal(2) represents some handlers by numbers.
        if unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return true }
        _ = signal(number, before)
        return false
    }
}

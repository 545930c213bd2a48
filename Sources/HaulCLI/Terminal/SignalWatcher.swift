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
    private let overridesIgnored: Bool
    private let queue = DispatchQueue(label: "haul.signals")
    private let sources = Mutex<[DispatchSource]>([])
    private let asked = Mutex<ContinuousClock.Instant?>(nil)

    /// Makes an inactive watcher for the three signals, or for others in their place.
    ///
    /// - Parameter overridesIgnored: True to watch an interrupt that is ignored at the start as well.
    package init(
        pause: Duration = .milliseconds(300), interrupt: Int32 = SIGINT, terminate: Int32 = SIGTERM,
        hangup: Int32 = SIGHUP, overridesIgnored: Bool = false
    ) {
        (self.pause, self.interrupt, self.terminate, self.hangup) = (pause, interrupt, terminate, hangup)
        self.overridesIgnored = overridesIgnored
    }

    /// Starts to watch.
    ///
    /// `stop` is called at most once, on the watcher's queue; `resumed` is called after each SIGCONT.
    ///
    /// Dispatch takes over a signal slightly later, on its own thread; until then the signal keeps its previous effect.
    /// `watching` is called for each of the signals once it is taken over. A hangup that is ignored at the start, as
    /// under nohup(1), stays ignored, and so does an interrupt, as in the background of a shell script.
    ///
    /// - Parameter isBlocked: Returns true while the run waits in a system call and can't end. If it does so shortly
    ///   after the first signal, the process exits, as after a second one.
    package func start(
        stop: @escaping @Sendable (StopReason) -> Void, resumed: @escaping @Sendable () -> Void,
        isBlocked: @escaping @Sendable () -> Bool = { false }, watching: @escaping @Sendable () -> Void = {}
    ) {
        ignore(SIGPIPE)
        // The write beyond the limit fails instead (EFBIG), and the data is kept.
        ignore(SIGXFSZ)
        func watchStop(_ number: Int32, _ reason: StopReason) {
            watch(number, watching) { [self] in
                signalled(number) {
                    stop(reason)
                    exitLater(number, if: isBlocked)
                }
            }
        }
        if overridesIgnored || !isIgnored(interrupt) { watchStop(interrupt, .interrupt) }
        watchStop(terminate, .terminate)
        if !isIgnored(hangup) { watchStop(hangup, .hangup) }
        watch(SIGCONT, watching, resumed)
    }

    /// Ends the watch; later signals have no effect.
    package func end() {
        sources.withLock { list in
            for source in list { source.cancel() }
            list = []
        }
    }

    private func signalled(_ number: Int32, _ stop: () -> Void) {
        let now = ContinuousClock.now
        let first = asked.withLock { instant in
            defer { instant = instant ?? now }
            return instant
        }
        guard let first else { return stop() }
        // timeout(1) and shells send a signal both to the process and to its group: it arrives twice but means one
        // request.
        guard now - first >= pause else { return }
        // The journal protects what is on disk: exiting now loses only a few milliseconds of work.
        _exit(128 + number)
    }

    /// Exits the process if the run is still blocked after the time that it usually takes to end.
    private func exitLater(_ number: Int32, if isBlocked: @escaping @Sendable () -> Bool) {
        guard isBlocked() else { return }
        let wait = DispatchTimeInterval.milliseconds(Int(pause / .milliseconds(1)))
        queue.asyncAfter(deadline: .now() + wait) {
            if isBlocked() { _exit(128 + number) }
        }
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

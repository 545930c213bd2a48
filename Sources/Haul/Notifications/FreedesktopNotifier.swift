#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows notifications on desktops that follow freedesktop.org, through `gdbus` or, where it is missing, `notify-send`.
///
/// Silent where there is no bus of the session, or neither program. At most four are on their way at once, each for 5 seconds at most;
/// what comes when there are four is not shown.
public struct FreedesktopNotifier: DownloadNotifier {
    private let environment: [String: String]
    private let timeout: Duration
    private let gate: NotificationGate
    private let choosing: Choosing?

    /// Makes a notifier for the session that this process belongs to.
    public init() { self.init(environment: ProcessInfo.processInfo.environment) }

    /// Makes a notifier that finds the programs and the bus by this environment.
    ///
    /// - Parameter choosing: Has notifications show their actions; nil: they have none.
    package init(
        environment: [String: String], limit: Int = 4, timeout: Duration = .seconds(5), choosing: Choosing? = nil
    ) {
        self.environment = environment
        self.timeout = timeout
        self.choosing = choosing
        gate = NotificationGate(limit: limit)
    }

    /// How notifications show their actions: through `notify-send`, which sleeps as long as one is shown.
    package struct Choosing: Sendable {
        /// Is told what a person has chosen.
        let chosen: @Sendable (NotificationAction, DownloadNotification) -> Void
        /// How long a choice is waited for; the notification may stay longer.
        let maximum: Duration
        /// As many can be chosen at; further ones are shown without actions.
        let gate: NotificationGate

        /// Makes a way to hear of choices.
        package init(
            limit: Int = 8, maximum: Duration = .seconds(900),
            chosen: @escaping @Sendable (NotificationAction, DownloadNotification) -> Void
        ) {
            (self.chosen, self.maximum, gate) = (chosen, maximum, NotificationGate(limit: limit))
        }
    }

    /// Shows the notification; returns when that is done or has failed, with actions when the notification is gone.
    @concurrent public func notify(_ notification: DownloadNotification) async {
        if let choosing, choosing.gate.enter() {
            defer { choosing.gate.leave() }
            if await show(notification, choosing) { return }
        }
        let found = FreedesktopCall(
            notification, environment: environment, exists: FileManager.default.fileExists(atPath:),
            isExecutable: ProgramPath.isExecutableFile)
        guard let call = found, gate.enter() else { return }
        defer { gate.leave() }
        // Nobody can do anything about a desktop that does not show it.
        _ = await child(call, timeout).run()
    }

    /// Shows it with its actions, and waits for the choice.
    ///
    /// - Returns: whether it was shown.
    private func show(_ notification: DownloadNotification, _ choosing: Choosing) async -> Bool {
        let found = FreedesktopCall(
            choosing: notification, environment: environment, exists: FileManager.default.fileExists(atPath:),
            isExecutable: ProgramPath.isExecutableFile)
        guard let call = found else { return false }
        let end = await child(call, choosing.maximum).run(keeping: .output, limit: 256)
        switch end.outcome {
        case .exited(code: 0):
            if let action = FreedesktopCall.choice(end.bytes, of: notification) {
                choosing.chosen(action, notification)
            }
            return true
        case .timedOut, .cancelled, .signalled: return true
        // It knows no actions, or has not found the desktop.
        case .exited, .couldNotStart: return false
        }
    }

    private func child(_ call: FreedesktopCall, _ timeout: Duration) -> ChildProcess {
        let names = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]
        return ChildProcess(
            program: call.program, arguments: call.arguments,
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, environment[$0]) }), timeout: timeout)
    }
}

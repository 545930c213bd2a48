import HaulLibC
import HaulProcesses

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows notifications on freedesktop.org desktops, through `gdbus` or, if that is missing, `notify-send`.
///
/// Does nothing if there is no session bus, or neither program. At most four are sent at once, each for at most 5
/// seconds; further ones are not shown meanwhile.
public struct FreedesktopNotifier: DownloadNotifier {
    private let environment: [String: String]
    private let timeout: Duration
    private let gate: NotificationGate
    private let choosing: Choosing?

    /// Creates a notifier for the session of this process.
    public init() { self.init(environment: ProcessEnvironment.all) }

    /// Creates a notifier that finds the programs and the bus by this environment.
    ///
    /// - Parameter choosing: Makes notifications show their actions; nil: they have none.
    package init(
        environment: [String: String], limit: Int = 4, timeout: Duration = .seconds(5), choosing: Choosing? = nil
    ) {
        self.environment = environment
        self.timeout = timeout
        self.choosing = choosing
        gate = NotificationGate(limit: limit)
    }

    /// Notifications with actions: through `notify-send`, which runs as long as one is shown.
    package struct Choosing: Sendable {
        /// Receives the chosen action.
        let chosen: @Sendable (NotificationAction, DownloadNotification) -> Void
        /// The maximum wait for a choice; the notification may be shown longer.
        let maximum: Duration
        /// Limits the number of notifications with actions; further ones are shown without.
        let gate: NotificationGate

        /// Creates the settings of notifications with actions.
        package init(
            limit: Int = 8, maximum: Duration = .seconds(900),
            chosen: @escaping @Sendable (NotificationAction, DownloadNotification) -> Void
        ) {
            (self.chosen, self.maximum, gate) = (chosen, maximum, NotificationGate(limit: limit))
        }
    }

    /// Shows the notification; returns when this is complete or has failed, with actions when the notification is
    /// closed.
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
        // A failure is ignored, since no notification could report it.
        _ = await child(call, timeout).run()
    }

    /// Shows the notification with its actions, and waits for the choice.
    ///
    /// - Returns: True if it was shown.
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
        // It does not support actions, or did not find the desktop.
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

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

    /// Makes a notifier for the session that this process belongs to.
    public init() { self.init(environment: ProcessInfo.processInfo.environment) }

    /// Makes a notifier that finds the programs and the bus by this environment.
    package init(environment: [String: String], limit: Int = 4, timeout: Duration = .seconds(5)) {
        self.environment = environment
        self.timeout = timeout
        gate = NotificationGate(limit: limit)
    }

    /// Shows the notification; returns when that is done or has failed.
    @concurrent public func notify(_ notification: DownloadNotification) async {
        let found = FreedesktopCall(
            notification, environment: environment, exists: FileManager.default.fileExists(atPath:),
            isExecutable: ProgramPath.isExecutableFile)
        guard let call = found, gate.enter() else { return }
        defer { gate.leave() }
        let names = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]
        let child = ChildProcess(
            program: call.program, arguments: call.arguments,
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, environment[$0]) }), timeout: timeout)
        // Nobody can do anything about a desktop that does not show it.
        _ = await child.run()
    }
}

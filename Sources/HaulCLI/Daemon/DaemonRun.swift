import HaulCore
import HaulLibC
import HaulServer
import Logging

/// Runs as the daemon until asked to exit.
struct DaemonRun {
    private let setup: DaemonSetup
    /// The settings whose changes while an earlier daemon ran are discarded once this one listens.
    private let replaced: [ConfigurationKey]

    /// Takes the options.
    init(_ options: DaemonOptions, replacing replaced: [ConfigurationKey]) {
        (setup, self.replaced) = (DaemonSetup(options), replaced)
    }

    /// Returns everything that is served besides the API.
    private static func mounts(
        _ state: DaemonState, _ token: AccessToken?, _ configuration: DaemonConfiguration
    ) -> Mounts {
        var mounts = Mounts()
        mounts.files = WebPage.files
        if let token {
            let aria2 = Aria2Mount(
                state, token, allowsAllOrigins: configuration.allowsRPCFromAllOrigins)
            mounts.requests = [aria2.requests]
            mounts.webSockets = [aria2.webSockets]
        }
        return mounts
    }

    /// Runs the daemon, and returns the exit code.
    func run() async -> Int32 {
        do throws(DownloadError) {
            DescriptorLimit.raise()
            try Daemon.checkFiles()
            // All errors at once, as haul daemon check reports them.
            let hasSocket = InheritedSockets.all(environment: setup.environment).contains(where: \.isLocal)
            let check = try setup.check(makesSocket: !hasSocket)
            guard check.problems.isEmpty, let configuration = check.configuration else {
                return DaemonOutput.fail(check.problems)
            }
            let format = configuration.logFormat ?? LogFormat.standard(environment: setup.environment)
            let file = DaemonLogFile(path: configuration.paths.log)
            let handler = ServiceLogHandler(level: configuration.logLevel, format: format) {
                file?.replaceIfLarge()
                OutputFile.standardError.write(TerminalText.printable($0) + "\n")
            }
            let logger = Logger(label: "haul.daemon") { _ in handler }
            for warning in EnvironmentNames.warnings(setup.environment) { logger.warning("\(warning)") }
            for warning in MemoryLimit.warnings { logger.warning("\(warning)") }
            // A client that closes its connection must not end the process (signal(7)).
            _ = signal(SIGPIPE, SIG_IGN)
            // Nor a file that becomes larger than its limit (setrlimit(2)): the write fails.
            _ = signal(SIGXFSZ, SIG_IGN)
            var daemon = Daemon(
                configuration, environment: setup.environment,
                mounts: { Self.mounts($0, $1, configuration) }, version: Version.current, logger: logger
            ) { [setup] () throws(DownloadError) in try setup.configuration() }
            daemon.replacedSettings = replaced
            let record = setup.record(configuration)
            try await daemon.run { addresses in
                do throws(DownloadError) {
                    try record.save(path: configuration.paths.record)
                } catch {
                    logger.warning("\(error)")
                }
                logger.notice(
                    "listening",
                    metadata: ["at": "\(addresses.joined(separator: " "))", "version": "\(Version.current)"])
            } overdue: {
                // The journal protects what is on disk: exiting now loses only a few milliseconds of work.
                logger.warning("exiting before everything was saved")
                _exit(0)
            }
            logger.notice("stopped")
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }
}

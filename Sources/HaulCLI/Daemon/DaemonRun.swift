import HaulCore
import HaulServer
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Works as the daemon until it is to leave.
struct DaemonRun {
    private let setup: DaemonSetup

    /// Takes the options.
    init(_ options: DaemonOptions) { setup = DaemonSetup(options) }

    /// Returns the number to exit with.
    func run() async -> Int32 {
        do throws(DownloadError) {
            let configuration = try setup.configuration()
            let handler = ConsoleLogHandler(level: configuration.logLevel) {
                OutputFile.standardError.write(TerminalText.printable($0) + "\n")
            }
            let logger = Logger(label: "haul.daemon") { _ in handler }
            // A caller that goes away is no reason to end (signal(7)).
            _ = signal(SIGPIPE, SIG_IGN)
            let daemon = Daemon(
                configuration, environment: setup.environment, mounts: Mounts(), version: Version.current,
                logger: logger
            ) { [setup] () throws(DownloadError) in try setup.configuration() }
            try await daemon.run { places in
                logger.notice("listening", metadata: ["at": "\(places.joined(separator: " "))"])
            } overdue: {
                // What is on the disk is the journal's: leaving now loses nothing but a few milliseconds of work.
                logger.warning("leaving before all was saved")
                _exit(0)
            }
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }
}

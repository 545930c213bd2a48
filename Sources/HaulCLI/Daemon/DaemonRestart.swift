import HaulClient
import HaulCore
import HaulServer
import HaulTransport
import HaulWire

/// Stops the daemon if it is running, and starts it with other options.
///
/// A running daemon is stopped only if the new options pass every check. If the new one does not start all the same, it
/// is started again with the options that it had.
struct DaemonRestart {
    private let options: DaemonOptions
    private let setup: DaemonSetup
    private let start: DaemonStart

    /// The time that the running daemon has to tell its port.
    private static let patience = Duration.seconds(2)

    /// Takes the options.
    init(_ options: DaemonOptions, resets: Bool) {
        (self.options, setup, start) = (options, DaemonSetup(options), DaemonStart(options, resets: resets))
    }

    /// Restarts the daemon, and returns the exit code.
    func run() async -> Int32 {
        DaemonOutput.warn(EnvironmentNames.warnings(setup.environment))
        do throws(DownloadError) {
            let (check, advice) = try start.check()
            guard check.problems.isEmpty else { return DaemonOutput.fail(check.problems, note: advice) }
            let paths = try DaemonSetup(options.endpoint).working().paths
            let running = try await DaemonStop.find(paths)
            if running != nil, let configuration = check.configuration { try await tryPort(configuration, paths) }
            let previous = running.flatMap { self.previous(in: $0.paths.stateFolder) }
            let stopped = await DaemonStop(options.endpoint).run()
            // With another code for the list, it has exited all the same.
            guard [ExitCode.complete, ExitCode(.catalogueFailed)].map(\.rawValue).contains(stopped) else {
                return stopped
            }
            do throws(DownloadError) {
                try await start.start()
                return ExitCode.complete.rawValue
            } catch {
                let code = DaemonOutput.fail(error)
                if running != nil { await startAgain(previous) }
                return code
            }
        } catch {
            return DaemonOutput.fail(error)
        }
    }

    /// Checks that the new daemon can listen on its port, unless the running one does.
    private func tryPort(_ configuration: DaemonConfiguration, _ paths: DaemonPaths) async throws(DownloadError) {
        guard let port = configuration.port, port != 0 else { return }
        let client = DaemonClient(.unix(path: paths.socket))
        let running = await within(Self.patience) { try? await client.info() } ?? nil
        await client.close()
        // The port of a daemon that does not respond is unknown.
        guard let running, running.port != port else { return }
        try await Listener.tryTCP(address: configuration.address, port: port)
    }

    /// Returns the setup of the running daemon; nil if it is not stored, or not completely.
    ///
    /// - Parameter folder: Its state folder.
    private func previous(in folder: String) -> DaemonSetup? {
        var paths = DaemonPaths(environment: setup.environment)
        paths.stateFolder = folder
        return (try? DaemonRecord(path: paths.record)).flatMap { setup.previous($0, stateFolder: folder) }
    }

    /// Starts the daemon with the options that it had before, and reports that.
    private func startAgain(_ previous: DaemonSetup?) async {
        guard let previous else {
            DaemonOutput.note("no daemon is running now: its earlier options are not stored")
            return
        }
        do throws(DownloadError) {
            let configuration = try previous.configuration()
            if let pid = DaemonLock.holder(path: configuration.paths.lock) {
                DaemonOutput.note("the new daemon (process \(pid)) has not exited")
                return
            }
            let pid = try await DaemonLaunch(previous, configuration).run().pid
            DaemonOutput.note("the daemon is running again with its earlier options (process \(pid))")
        } catch {
            DaemonOutput.note(
                "no daemon is running now: it did not start with its earlier options either: \(error.message)")
        }
    }
}

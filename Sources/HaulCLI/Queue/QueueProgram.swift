import ArgumentParser
import HaulClient
import HaulCore
import HaulLibC
import HaulProcesses
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The common part of all commands that send requests to the daemon.
enum QueueProgram {
    /// Sends requests to the daemon.
    ///
    /// - Parameter starts: True to start a daemon if none is running.
    /// - Throws: The exit code, as the argument parser expects it.
    static func run(
        starts: Bool = false, _ body: (DaemonClient, inout QueueOutcome) async throws(DownloadError) -> Void
    ) async throws {
        var outcome = QueueOutcome()
        DaemonOutput.warn(EnvironmentNames.warnings(ProcessEnvironment.all))
        do throws(DownloadError) {
            let configuration = try configuration()
            let client = DaemonClient(forCommandAt: configuration.paths.socket)
            do throws(DownloadError) {
                if starts { try await reach(client, configuration) }
                try await body(client, &outcome)
            } catch {
                outcome.fail(error)
            }
            await client.close()
        } catch {
            outcome.fail(error)
        }
        throw ArgumentParser.ExitCode(outcome.exitCode.rawValue)
    }

    /// Returns the daemon's configuration, from the environment and its file.
    private static func configuration() throws(DownloadError) -> DaemonConfiguration {
        var options = DaemonEndpointOptions()
        do { options = try DaemonEndpointOptions.parse([]) } catch { throw DownloadError(.internal, "\(error)") }
        return try DaemonSetup(options).working()
    }

    /// Returns the reason why a daemon must not be started; nil if it may be.
    private static func obstacle(_ configuration: DaemonConfiguration, _ environment: [String: String]) -> String? {
        if let obstacle = AutoStart.obstacle(environment) { return obstacle }
        guard configuration.autostart else { return "the setting autostart is false" }
        return configuration.hasNamedSocket ? "the setting socket names the socket of a service" : nil
    }

    private static func reach(
        _ client: DaemonClient, _ configuration: DaemonConfiguration
    ) async throws(DownloadError) {
        do throws(DownloadError) {
            _ = try await client.info()
        } catch {
            guard error.code == .connectionFailed else { throw error }
            let environment = ProcessEnvironment.all
            if let obstacle = obstacle(configuration, environment) {
                throw AutoStart.refused(error, because: obstacle)
            }
            try await DaemonLauncher(environment: environment, program: ProgramPath.own).start { number in
                DownloadError.Code(exitCode: number)
            }
        }
    }
}

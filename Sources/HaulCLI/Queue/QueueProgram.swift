import ArgumentParser
import HaulClient
import HaulCore
import HaulServer
import HaulWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the commands have in common that ask the daemon.
enum QueueProgram {
    /// Asks the daemon.
    ///
    /// - Parameter starts: Whether one is started where none is at work.
    /// - Throws: the number to exit with, as the argument parser wants it.
    static func run(
        starts: Bool = false, _ body: (DaemonClient, inout QueueOutcome) async throws(DownloadError) -> Void
    ) async throws {
        var outcome = QueueOutcome()
        do throws(DownloadError) {
            let client = DaemonClient(try place())
            do throws(DownloadError) {
                if starts { try await reach(client) }
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

    /// Where the daemon is, by the environment and its file.
    private static func place() throws(DownloadError) -> DaemonPlace {
        var options = DaemonPlaceOptions()
        do { options = try DaemonPlaceOptions.parse([]) } catch { throw DownloadError(.internal, "\(error)") }
        return .unix(path: try DaemonSetup(options).working().paths.socket)
    }

    private static func reach(_ client: DaemonClient) async throws(DownloadError) {
        do throws(DownloadError) {
            _ = try await client.info()
        } catch {
            guard error.code == .connectionFailed else { throw error }
            try await DaemonLauncher(
                environment: ProcessInfo.processInfo.environment, program: DaemonStart.ownPath
            ).start()
        }
    }
}

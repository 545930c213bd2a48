import HaulClient
import HaulCore
import HaulServer
import HaulWire

/// Shows the status of the daemon.
struct DaemonStatus {
    private let setup: DaemonSetup
    private let json: Bool

    /// Takes the options.
    init(_ options: DaemonEndpointOptions, json: Bool) { (setup, self.json) = (DaemonSetup(options), json) }

    /// Shows the status, and returns the exit code.
    func run() async -> Int32 {
        do throws(DownloadError) {
            let configuration = try setup.working()
            let client = DaemonClient(forCommandAt: configuration.paths.socket)
            let response: (InfoMessage, SummaryMessage)
            let ready: ReadyMessage
            do throws(DownloadError) {
                ready = try await client.ready()
                response = try await Self.status(client, ready)
            } catch {
                await client.close()
                throw error
            }
            await client.close()
            if json {
                let status = Status(info: response.0, summary: response.1, obstacles: ready.obstacles ?? [])
                OutputFile.standardOutput.write(try WireJSON.line(status))
            } else {
                say(response.0, response.1, configuration)
                for obstacle in ready.obstacles ?? [] { DaemonOutput.say("problem:   \(obstacle.message)") }
            }
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }

    /// Returns the status; throws the reason if the list can't be used and the daemon does not respond within 5 s.
    private static func status(
        _ client: DaemonClient, _ ready: ReadyMessage
    ) async throws(DownloadError) -> (InfoMessage, SummaryMessage) {
        guard let problem = ready.obstacles?.first(where: { $0.code == .catalogueFailed }) else {
            return (try await client.info(), try await client.summary())
        }
        let patient = DaemonClient(client.endpoint, patience: .seconds(5))
        do throws(DownloadError) {
            let response = (try await patient.info(), try await patient.summary())
            await patient.close()
            return response
        } catch {
            await patient.close()
            throw error.code == .timedOut ? DownloadError(problem.code, problem.message) : error
        }
    }

    private func say(_ info: InfoMessage, _ summary: SummaryMessage, _ configuration: DaemonConfiguration) {
        DaemonOutput.say("the daemon \(info.version) is running (process \(info.pid))")
        DaemonOutput.say("downloads: \(StatusText.text(summary.summary))")
        DaemonOutput.say("folders:   \(info.roots.joined(separator: ", "))")
        DaemonOutput.say("socket:    \(configuration.paths.socket)")
        // The actual port, even if the configuration has changed since.
        if let port = info.port {
            let url = PageDoor.url(address: configuration.address, port: port)
            // The daemon's own state folder, which may differ from the one in this configuration.
            var paths = configuration.paths
            paths.stateFolder = info.stateFolder ?? paths.stateFolder
            DaemonOutput.say("page:      \(url), with the token in \(paths.token); see haul open")
        }
        if let notice = info.notice { DaemonOutput.say("note:      \(notice)") }
    }

    private struct Status: Encodable {
        let info: InfoMessage
        let summary: SummaryMessage
        /// The reasons why it can't take or carry out downloads; empty if it is ready.
        let obstacles: [ReadyMessage.Obstacle]
    }
}

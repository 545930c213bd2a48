import HaulClient
import HaulCore
import HaulServer
import HaulWire

/// Copies the list of the running daemon.
struct DaemonBackup {
    private let setup: DaemonSetup

    /// Takes the options.
    init(_ options: DaemonEndpointOptions) { setup = DaemonSetup(options) }

    /// Makes the copy, and returns the exit code.
    func run() async -> Int32 {
        do throws(DownloadError) {
            let client = DaemonClient(forCommandAt: try setup.working().paths.socket)
            let backup: BackupMessage
            do throws(DownloadError) {
                backup = try await client.backUp()
            } catch {
                await client.close()
                throw error
            }
            await client.close()
            DaemonOutput.say(backup.path ?? backup.name)
            return ExitCode.complete.rawValue
        } catch {
            return DaemonOutput.fail(error)
        }
    }
}

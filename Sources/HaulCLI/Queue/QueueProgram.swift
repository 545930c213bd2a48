import ArgumentParser
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HaulClient
import HaulCore
import HaulWire

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
            let place = try place()
            let client = DaemonClient(place)
            do throws(DownloadError) {
                if starts { try await reach(client, place) }
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

    /// Where the daemon is by options, environment and its file.
    private static func place() throws(DownloadError) -> DaemonPlace {
        guard let place = DaemonPlace.usual(environment: ProcessInfo.processInfo.environment) else {
            throw DownloadError(.invalidRequest, "the user's folders are not known: set HOME")
        }
        return place
    }

    private static func reach(_ client: DaemonClient, _ place: DaemonPlace) async throws(DownloadError) {
        do throws(DownloadError) {
            _ = try await client.info()
        } catch {
            guard error.code == .connectionFailed else { throw error }
            let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            try await DaemonLauncher(environment: ProcessInfo.processInfo.environment, program: own).start()
        }
    }
}

/// What a command came to, and what it says.
struct QueueOutcome {
    private var failure: ExitCode?

    /// The number to exit with: that of the failures, where they are of one kind.
    var exitCode: ExitCode { failure ?? .complete }

    /// Says what went wrong, in one line on standard error.
    mutating func fail(_ error: DownloadError, of name: String? = nil) {
        OutputFile.standardError.write("haul: \(TerminalText.printable((name.map { "\($0): " } ?? "") + error.description))\n")
        note(ExitCode(error.code))
    }

    /// Takes note of a failure that was told already.
    mutating func note(_ code: ExitCode) { failure = failure == nil || failure == code ? code : .mixed }

    /// Says something on standard output.
    func say(_ line: String) { OutputFile.standardOutput.write(TerminalText.printable(line) + "\n") }

    /// Writes a message as one line of JSON.
    func write(_ message: some Encodable) throws(DownloadError) {
        OutputFile.standardOutput.write(String(decoding: try WireJSON.encode(message), as: UTF8.self) + "\n")
    }

    /// A download that a command failed for, as JSON.
    struct Failure: Encodable {
        /// Which.
        let id: DownloadID?
        /// With `add`: where from.
        var url: String?
        /// Why.
        let error: DownloadError
    }
}

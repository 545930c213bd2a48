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

/// What a command came to, and what it says.
struct QueueOutcome {
    private var failure: ExitCode?

    /// The number to exit with: that of the failures, where they are of one kind.
    var exitCode: ExitCode { failure ?? .complete }

    /// Says what went wrong, in one line on standard error.
    ///
    /// - Parameter advice: What to type.
    mutating func fail(_ error: DownloadError, of name: String? = nil, advice: String? = nil) {
        let line = (name.map { "\($0): " } ?? "") + error.description + (advice.map { ": \($0)" } ?? "")
        OutputFile.standardError.write("haul: \(TerminalText.printable(line))\n")
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

    /// Writes a download as one line of JSON.
    ///
    /// - Parameter showsSecrets: Whether the values of the queries of its URLs are shown.
    func write(_ download: DownloadMessage, showsSecrets: Bool = false) throws(DownloadError) {
        let line = try WireJSON.encode(showsSecrets ? download : download.redacted)
        OutputFile.standardOutput.write(String(decoding: line, as: UTF8.self) + "\n")
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

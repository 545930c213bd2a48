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

/// The result of a command, and its output.
struct QueueOutcome {
    private var failure: ExitCode?

    /// The exit code: that of the failures, if all have the same.
    var exitCode: ExitCode { failure ?? .complete }

    /// Reports an error, in one line on standard error.
    ///
    /// - Parameter advice: The command that the user can type; by default, the one for this error.
    mutating func fail(_ error: DownloadError, of name: String? = nil, advice: String? = nil) {
        let advice = advice ?? FailureAdvice.command(after: error)
        let line = (name.map { "\($0): " } ?? "") + error.description + (advice.map { ": \($0)" } ?? "")
        OutputFile.standardError.write("haul: \(TerminalText.printable(line))\n")
        note(ExitCode(error.code))
    }

    /// Reports the downloads for which a command failed, one line for each error.
    mutating func fail(_ failures: FailureGroups) {
        for group in failures.groups { fail(group.error, of: group.name, advice: group.advice) }
    }

    /// The maximum number of downloads requested by their numbers at once.
    static let portion = 1000

    /// Returns those of the downloads that are in the list; the others are reported as failures.
    mutating func existing(_ ids: [DownloadID], _ client: DaemonClient) async throws(DownloadError) -> [DownloadID] {
        var (found, rest): ([DownloadID], ArraySlice<DownloadID>) = ([], ids[...])
        var missing = FailureGroups()
        while !rest.isEmpty {
            var filter = FilterMessage()
            filter.ids = Array(rest.prefix(Self.portion))
            let known = Set(try await client.list(filter, limit: Self.portion).downloads.map(\.id))
            for id in rest.prefix(Self.portion) {
                if known.contains(id) { found.append(id) } else { missing.addMissing(id) }
            }
            rest = rest.dropFirst(Self.portion)
        }
        fail(missing)
        return found
    }

    /// Records a failure that is already reported.
    mutating func note(_ code: ExitCode) { failure = failure == nil || failure == code ? code : .mixed }

    /// Writes a line to standard output.
    func say(_ line: String) { OutputFile.standardOutput.write(TerminalText.printable(line) + "\n") }

    /// Writes a message as one line of JSON.
    func write(_ message: some Encodable) throws(DownloadError) {
        OutputFile.standardOutput.write(try WireJSON.line(message))
    }

    /// Writes a download as one line of JSON.
    ///
    /// - Parameter showsSecrets: True to show the values in the queries of the URLs.
    func write(_ download: DownloadMessage, showsSecrets: Bool = false) throws(DownloadError) {
        OutputFile.standardOutput.write(try WireJSON.line(showsSecrets ? download : download.redacted))
    }

    /// A download for which a command failed, as JSON.
    struct Failure: Encodable {
        /// The download's number.
        let id: DownloadID?
        /// The URL, with `add`.
        var url: String?
        /// The error.
        let error: DownloadError
    }
}

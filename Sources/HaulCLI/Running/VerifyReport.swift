package import HaulCore
import HaulWire

/// The result of `haul verify` for one file.
package struct VerifyReport: Sendable {
    /// The path as given.
    package var path: String
    /// The proof that the file is right, or the error.
    package var result: Result<Verification, DownloadError>

    /// Makes a report.
    package init(path: String, result: Result<Verification, DownloadError>) {
        self.path = path
        self.result = result
    }

    /// The exit code of a failure; nil if the file is right.
    package var exitCode: ExitCode? {
        switch result {
        case .success: nil
        case .failure(let error): ExitCode(error.code)
        }
    }

    /// The line for the user, safe for a terminal.
    package var text: String {
        let name = TerminalText.printable(URLRedaction.name(path))
        return switch result {
        case .success(let verification): "\(name): \(verification)"
        case .failure(let error):
            (isNamed(by: error) ? "haul: " : "haul: \(name): ") + TerminalText.printable(error.description)
                + (advice(for: error).map { "; \($0)" } ?? "")
        }
    }

    /// Returns true if an error names the file itself, as most errors about files do.
    private func isNamed(by error: DownloadError) -> Bool {
        let name = URLRedaction.name(path)
        return error.message.hasPrefix("\(name) ") || error.message.contains(", \(name), ")
    }

    /// Advice for an error; nil for a compressed response, since no option of the command takes the file as it is sent.
    private func advice(for error: DownloadError) -> String? {
        error.code == .contentEncoded ? nil : FailureAdvice.text(for: error, url: nil, path: path)
    }

    /// The maximum number of missing files named in one line.
    private static let maxNames = 5

    /// Returns the error about listed files that do not exist; nil if all exist.
    ///
    /// - Parameter isAllowed: True if some may be missing, but not all, since then nothing was verified.
    package static func missing(_ names: [String], of count: Int, isAllowed: Bool) -> DownloadError? {
        guard !names.isEmpty, !isAllowed || names.count == count else { return nil }
        guard !isAllowed else {
            return DownloadError(.fileFailed, "no file was verified: no listed file exists")
        }
        let shown = names.prefix(maxNames).joined(separator: ", ")
        let rest = names.count > maxNames ? " and \(names.count - maxNames) more" : ""
        return DownloadError(
            .fileFailed,
            "\(names.count) of \(count) listed files \(names.count == 1 ? "does" : "do") not exist: \(shown)\(rest); "
                + "to skip them: --ignore-missing")
    }

    /// The line of JSON for programs, with its end.
    package var json: String {
        // Texts and whole numbers can always be encoded.
        (try? WireJSON.line(Line(self))) ?? "{}\n"
    }

    private struct Line: Encodable {
        let event: String
        let path: String
        var verification: VerificationMessage?
        var error: DownloadError?
        var exitCode: Int32?

        init(_ report: VerifyReport) {
            switch report.result {
            case .success(let verification):
                (event, path) = ("verified", report.path)
                self.verification = VerificationMessage(verification)
            case .failure(let error):
                (event, path) = ("failed", URLRedaction.name(report.path))
                (self.error, exitCode) = (error, ExitCode(error.code).rawValue)
            }
        }
    }

    /// Writes the line to the right output: failures go to standard error; JSON always goes to standard output.
    func write(quiet: Bool, json isJSON: Bool) {
        guard !isJSON else {
            OutputFile.standardOutput.write(json)
            return
        }
        switch result {
        case .success: if !quiet { OutputFile.standardOutput.write(text + "\n") }
        case .failure: OutputFile.standardError.write(text + "\n")
        }
    }
}

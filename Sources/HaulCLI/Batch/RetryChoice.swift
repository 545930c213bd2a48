import HaulBatch
import HaulCore

/// The meaning of `--retry-failed`, whose value may be left out: error codes, or the manifest that follows it.
struct RetryChoice: Hashable, Sendable {
    /// The manifest; nil if it is missing.
    let manifest: String?
    /// The rows to fetch.
    let selection: RowSelection
    /// The problem with the arguments; nil if there is none.
    let problem: String?

    private static let known = Set(
        DownloadError.Code.allCases.map(\.rawValue) + RowRefusal.codes + [RowState.failed, .refused].map(\.rawValue))

    /// Decides by the words: error codes are known, so anything else in place of a missing manifest is the manifest.
    ///
    /// - Parameters:
    ///   - value: The value of the option; empty if it has none, nil if it was not given.
    ///   - manifest: The argument.
    init(_ value: String?, manifest: String?) {
        guard let value else {
            (self.manifest, selection, problem) = (manifest, .missing, manifest == nil ? Self.missing : nil)
            return
        }
        let codes = BatchPlan.words(value)
        let unknown = codes.first { !Self.known.contains($0) }
        if manifest == nil, unknown != nil {
            (self.manifest, selection, problem) = (value, .missingAndFailed(codes: nil), nil)
            return
        }
        self.manifest = manifest
        selection = .missingAndFailed(codes: codes.isEmpty ? nil : Set(codes))
        problem =
            if let unknown {
                "--retry-failed: \"\(unknown)\" is not an error code; write codes such as timedOut,mediaType, refused for all refused rows, or none"
            } else {
                manifest == nil ? Self.missing : nil
            }
    }

    private static let missing = "the manifest is missing: name a file of URLs, or - for standard input"
}

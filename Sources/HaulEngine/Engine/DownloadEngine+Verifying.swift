public import HaulCore
import HaulTransport

extension DownloadEngine {
    /// Verifies an existing file against a spec's source, without fetching it.
    ///
    /// Uses the spec's checksum, else one found on the server if `findsChecksum` is set, else the digest in the server's
    /// header, else size and date as far as the server reports them.
    ///
    /// - Returns: The method by which the file was verified.
    /// - Throws: `DownloadError`: `checksumMismatch` if the file differs, `fileFailed`, and any error that a request
    ///   may end with.
    public func verify(_ path: String, against spec: DownloadSpec) async throws(DownloadError) -> Verification {
        let url = try SourceURL(parsing: spec.url)
        if let checksum = spec.checksum { return try await verified(path, FoundChecksum(checksum, .given)) }
        let access = try await context.accessFiles.read(spec)
        if spec.findsChecksum, let found = await ChecksumSearch(spec, access, url: url, context).run() {
            return try await verified(path, found)
        }
        let (size, modified) = try await FileVerifier.facts(of: path)
        let (facts, host) = try await facts(SourceFacts(spec, access, url: url, context), spec)
        if let total = facts.total, total != size {
            throw DownloadError(
                .checksumMismatch, "the file differs in size from the server's",
                cause: "found \(size) bytes, expected \(total)")
        }
        if spec.usesHeaderChecksum, spec.range == nil, let digest = facts.digest {
            return try await verified(
                path, FoundChecksum(digest.checksum, .header(name: digest.field, host: host)))
        }
        guard let date = facts.modified else { return facts.total == nil ? .nothing : .size }
        guard date == modified else {
            throw DownloadError(
                .checksumMismatch, "the file differs in date from the server's, and no checksum is available")
        }
        return facts.total == nil ? .nothing : .sizeAndDate
    }

    /// Returns the facts from a source, unless it takes longer than a download would wait for a connection and its
    /// first byte.
    private func facts(
        _ source: SourceFacts, _ spec: DownloadSpec
    ) async throws(DownloadError) -> (facts: ResponseFacts, host: String) {
        let response = await within(spec.transfer.responseTimeout) {
            () -> Result<(facts: ResponseFacts, host: String), DownloadError> in
            do throws(DownloadError) { return .success(try await source.ask()) } catch { return .failure(error) }
        }
        guard let response else {
            if Task.isCancelled { throw DownloadError(.cancelled, "stopped") }
            throw DownloadError(.timedOut, "no response within \(spec.transfer.responseTimeout.inWords)")
        }
        return try response.get()
    }

    private func verified(_ path: String, _ wanted: FoundChecksum) async throws(DownloadError) -> Verification {
        try await FileVerifier.verify(path, wanted)
        return .checksum(wanted.checksum, wanted.origin)
    }
}

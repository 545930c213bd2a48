import HaulCore
import HaulTransport

extension DownloadEngine {
    /// Verifies a file that stands on the disk against what a spec's source has, without fetching it.
    ///
    /// By the spec's checksum, else by one that is found where the spec looks for it, else by the digest in the server's header, else by
    /// size and date, as far as the server tells them.
    ///
    /// - Returns: by what it was verified.
    /// - Throws: `DownloadError`: `checksumMismatch` where the file is another one, `fileFailed`, and whatever a request may end with.
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

    /// What a source says, unless it takes longer for that than a download would wait for a connection and its first byte.
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

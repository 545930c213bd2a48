/// What the machine has to know of a download's spec.
package struct MachineConfiguration: Hashable, Sendable {
    /// Where it comes from.
    package var url: SourceURL
    /// How many connections may work on it.
    package var connections: ConnectionLimit
    /// A digest that the file must have.
    package var checksum: Checksum?
    /// How often in a row a try may fail.
    package var retry: RetryPolicy
    /// The longest time without a byte on a connection.
    package var idleTimeout: Duration
    /// Whether a partial is kept.
    package var resumes: Bool
    /// Whether certificates are not checked.
    package var insecure: Bool
    /// Whether a redirect may lead from https to http.
    package var allowsDowngrade: Bool
    /// How often progress is told.
    package var progressInterval: Duration

    /// Reads a spec.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where the URL is none.
    package init(_ spec: DownloadSpec, progressInterval: Duration = .milliseconds(100)) throws(DownloadError) {
        url = try SourceURL(parsing: spec.url)
        connections = spec.connections
        checksum = spec.checksum
        retry = RetryPolicy(limit: spec.retries)
        idleTimeout = spec.idleTimeout
        resumes = spec.resumes
        insecure = spec.insecure
        allowsDowngrade = spec.allowsDowngrade
        self.progressInterval = progressInterval
    }
}

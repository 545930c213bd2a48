package import HaulCore

/// A download that is to be stored.
package struct NewRecord: Sendable {
    /// The key of the download.
    package let key: String
    /// The spec, without secrets.
    package let spec: DownloadSpec
    /// True if secrets were removed from the spec.
    package let lacksSecrets: Bool
    /// `queued`, or `paused` by request.
    package let state: StoredState

    /// The host of the URL; empty if the URL cannot be parsed.
    let host: String
    /// True if the key can be derived from the spec, so that its text need not be stored.
    let isKeyDerived: Bool

    /// Creates a record.
    ///
    /// Without a key it gets the spec's key, otherwise the canonical one.
    ///
    /// - Parameters:
    ///   - key: The caller's key for the download.
    ///   - spec: The spec.
    ///   - source: Its URL, if that was parsed already.
    ///   - state: `queued` or `paused`; no other state is ever added.
    package init(
        key: String? = nil, spec: DownloadSpec, source: SourceURL? = nil, state: StoredState = .queued
    ) {
        let source = source ?? (try? SourceURL(parsing: spec.url))
        let canonical = spec.canonicalKey(of: source)
        let given = key ?? spec.key
        self.key = given ?? canonical
        (self.spec, lacksSecrets) = spec.withoutSecrets()
        self.state = state
        host = source?.host ?? ""
        isKeyDerived = given.map { $0.hasBytes(of: canonical) } ?? true
    }
}

/// The result of storing a record.
package enum Inserted: Sendable, Hashable {
    /// It is stored, and its `added` event is recorded.
    case added(DownloadID, position: Position, host: Int32, event: Int64)
    /// Its key exists already, in the catalogue or earlier in the same batch.
    case present(DownloadID)
}

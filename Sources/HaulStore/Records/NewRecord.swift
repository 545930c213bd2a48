package import HaulCore

/// A download that is to be stored.
package struct NewRecord: Sendable {
    /// The identity that it is added with.
    package let key: String
    /// What is asked for, without secrets.
    package let spec: DownloadSpec
    /// Whether secrets were taken out of it.
    package let lacksSecrets: Bool
    /// `queued`, or `paused` because that was asked for.
    package let state: StoredState

    /// The host of the URL; empty where the URL can't be parsed.
    let host: String
    /// Whether the key follows from the spec, so that its text need not be stored.
    let isKeyDerived: Bool

    /// Makes a record; without a key it is that of the spec, else the canonical one.
    ///
    /// - Parameters:
    ///   - key: The caller's identity for it.
    ///   - spec: What is asked for.
    ///   - source: Its URL, where that was parsed already.
    ///   - state: `queued` or `paused`; nothing else is ever added.
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
        isKeyDerived = given.map { $0.utf8.elementsEqual(canonical.utf8) } ?? true
    }
}

/// What became of a record that was to be stored.
package enum Inserted: Sendable, Hashable {
    /// It is stored, and its `added` event is recorded.
    case added(DownloadID, position: Position, host: Int32, event: Int64)
    /// Its key was there already, in the catalogue or earlier in the same batch.
    case present(DownloadID)
}

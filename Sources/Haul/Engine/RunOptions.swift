package import HaulCore
package import HaulFiles

/// What a run is told beyond its spec, by whoever remembers earlier runs.
package struct RunOptions: Sendable {
    /// The final path that an earlier run settled on, whatever name the server gives now.
    ///
    /// What is there of its partial is gone on with.
    package var place: String?
    /// The partial of an earlier run.
    ///
    /// Where the file at `place` is this very inode, it was published just before a crash: the run ends at once as finished.
    package var published: FileIdentity?
    /// Whether the source was replaced: a partial of another source is gone on with if the new one proves to be the same file.
    ///
    /// If it does not, the run ends with `sourceChanged`, and the partial stays as it was, for its own source.
    package var provesSource = false
    /// The download's own limit, besides the engine's.
    package var limiter: RateLimiter?
    /// Is told, before the run ends with `noSpace`, how much room is missing at least.
    ///
    /// It is called on a thread that may block, at most once.
    package var onShortage: (@Sendable (MissingRoom) -> Void)?

    /// Makes options that change nothing.
    package init() {}
}

/// Where a download is on its way.
///
/// Payload stands in the case.
package enum MachinePhase: Hashable, Sendable {
    /// Not begun.
    case idle
    /// The destination is looked at.
    case locating
    /// The first request of a fresh start is on its way, or waits for its next try.
    case probing
    /// The first answer is there; the file is opened for it.
    case preparing(fetch: Int, ResponseFacts)
    /// Bytes of a partial of another source are compared with what the new one has.
    case proving
    /// The journal of a partial is written anew.
    case reopening
    /// Segments are fetched.
    case transferring
    /// The running fetches are being ended, and then?
    case draining(AfterDraining)
    /// The digest is computed.
    case verifying
    /// The file gets its final name.
    case publishing
    /// The partial is closed or removed; then this is told.
    case closing(TransferEvent)
    /// It is over.
    case ended

    /// What follows when no fetch is left.
    package enum AfterDraining: Hashable, Sendable {
        /// Begin again from nothing.
        case restart
        /// Go on from a partial that was found by the server's name.
        case resume
        /// Compare a partial of another source, or a file of another program, that was found once the server had answered.
        case prove(KnownVersion, foreign: String?)
        /// All bytes are there.
        case verify
        /// Leave the file that stands there alone.
        case keep(path: String, size: Int64, isSame: Bool)
        /// End with this error.
        case fail(DownloadError)
    }
}

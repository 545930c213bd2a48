/// The phases of a download, each with the data that it needs.
package enum MachinePhase: Hashable, Sendable {
    /// The download has not begun.
    case idle
    /// The destination is examined.
    case locating
    /// The first request of a fresh start is running, or waits for its next attempt.
    case probing
    /// The first response has arrived; the file is being opened for it.
    case preparing(fetch: Int, ResponseFacts)
    /// The bytes of another source's partial file are compared with those of the new source.
    case proving
    /// The journal of a partial file is written again.
    case reopening
    /// The segments are fetched.
    case transferring
    /// The running fetches are being ended; the payload is the next step.
    case draining(AfterDraining)
    /// The digest is computed.
    case verifying
    /// The file gets its final name.
    case publishing
    /// The partial file is closed or removed; then this event is reported.
    case closing(TransferEvent)
    /// The download has ended.
    case ended

    /// The step that follows when no fetch is left.
    package enum AfterDraining: Hashable, Sendable {
        /// Start from scratch.
        case restart
        /// Resume a partial file that was found under the server's name.
        case resume
        /// Compare another source's partial file, or another program's file, that was found after the server had
        /// responded.
        case prove(KnownVersion, foreign: String?)
        /// Leave the partial file alone, which belongs to a different file, and use another one; otherwise end with this
        /// error.
        case leave(DownloadError)
        /// Verify the file: all bytes are present.
        case verify
        /// Leave the existing file alone.
        case keep(path: String, size: Int64, isSame: Bool)
        /// End with this error.
        case fail(DownloadError)
    }
}

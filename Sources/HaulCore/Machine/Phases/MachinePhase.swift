/// The phases of a download, each with the data that it needs.
package enum MachinePhase: Hashable, Sendable {
    /// The download has not begun.
    case idle
    /// The destination is examined.
    case locating
    /// The first request of a fresh start is running, or waits for its next attempt.
    case probing
    /// The first response has arrived; the file is being opened for it.
    case preparing(Preparing)
    /// The bytes of another source's partial file are compared with those of the new source.
    case proving(SourceProof)
    /// The document that the server names for the file is awaited: these pieces of a partial file can be resumed if it
    /// has a checksum.
    case describing([Located.Piece])
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

    /// The requests that are sent in this phase; nil if there are none.
    var requests: Requests? {
        switch self {
        case .probing: .first
        case .proving: .proof
        case .transferring: .segments
        case .idle, .locating, .preparing, .describing, .reopening, .draining, .verifying, .publishing, .closing,
            .ended:
            nil
        }
    }

    /// The requests of a phase.
    enum Requests: Hashable, Sendable {
        /// One for the whole file, which reveals its facts.
        case first
        /// One after the other, for existing bytes.
        case proof
        /// Several at once, for the missing bytes.
        case segments
    }

    /// The state of the phase `preparing`.
    package struct Preparing: Hashable, Sendable {
        /// The number of the first fetch, whose bytes wait for the file.
        let fetch: Int
        /// The facts that its response has revealed.
        var facts: ResponseFacts
        /// The fetch and its outcome, if it ended before the file was open.
        var ended: Ended?

        init(_ fetch: Int, _ facts: ResponseFacts) {
            self.fetch = fetch
            self.facts = facts
        }

        /// The end of a fetch.
        struct Ended: Hashable, Sendable {
            let fetch: ActiveFetch
            let outcome: FetchEnd
        }
    }

    /// The step that follows when no fetch is left.
    package enum AfterDraining: Hashable, Sendable {
        /// Start from scratch.
        case restart
        /// Start from scratch with the main source's file, which takes the place of a mirror's bytes, or of bytes whose checksum
        /// is wrong.
        case overrule
        /// Resume these pieces of a partial file that was found under the server's name.
        case resume([Located.Piece])
        /// Wait for the document that the server names for the file, because only a checksum can verify these pieces.
        case describe([Located.Piece])
        /// Compare these pieces of another source's partial file, or another program's file, that was found after the server had
        /// responded.
        case prove(KnownVersion, [Located.Piece], SourceProof.Origin, seen: Validators)
        /// Leave the partial file alone, which belongs to a different file, and use another one; otherwise end with this
        /// error.
        case leave(DownloadError)
        /// Verify the file: all bytes are present.
        case verify
        /// Leave the existing file alone.
        case keep(path: String, size: Int64, isSame: Bool)
        /// End with this error.
        case fail(DownloadError)

        /// True if the download continues to fetch after this step.
        var fetches: Bool {
            switch self {
            case .restart, .overrule, .resume, .describe, .prove, .leave: true
            case .verify, .keep, .fail: false
            }
        }
    }
}

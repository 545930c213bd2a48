/// A file that is not kept, but handed to a receiver in order, as it arrives.
///
/// Bytes that were handed over cannot be taken back. If a file would have to start over, a stream ends with an error
/// instead, never with a mix of versions.
extension DownloadMachine {
    /// The number of segments above which finished ones are joined.
    private static let maxSegments = 64

    /// The range that may be fetched ahead; nil if the file is kept, and may be fetched in any order.
    var horizon: StreamHorizon? {
        guard let window = configuration.streamWindow else { return nil }
        return StreamHorizon(
            end: consumed.saturatingSum(window), piece: min(window, piece(of: window)),
            wantsMoreConnections: map.contiguousPrefix - consumed < window / 4)
    }

    /// Returns the size of a piece: two for each connection, so that a fast one has its next piece while the others are
    /// still fetching theirs.
    private func piece(of window: Int64) -> Int64 {
        let share = window / Int64(2 * configuration.transfer.connections.maximum)
        return max(planner.minimumPiece, share / planner.alignment * planner.alignment)
    }

    /// Records that the receiver has consumed everything before `offset`.
    mutating func didConsume(_ offset: Int64, now: Duration) {
        consumed = max(consumed, offset)
        if map.segments.count > Self.maxSegments {
            map.mergeContiguousPrefix(sparing: Set(fetches.all.compactMap(\.segment)))
        }
        proceed(now: now)
    }

    /// Ends a stream that would have to start over although bytes of it may have been handed over.
    ///
    /// - Returns: False if there are none, or if the file is kept.
    mutating func endsStream(_ error: DownloadError, now: Duration) -> Bool {
        guard configuration.streamWindow != nil, map.written > 0 else { return false }
        fail(error, now: now)
        return true
    }
}

extension MachineConfiguration {
    /// Returns the configuration for a stream: with one source, because bytes that were handed over cannot be taken
    /// back, and without digests that become known too late to start with.
    ///
    /// - Parameter receiverStartsAgain: True if the receiver starts again by itself if the stream can't continue.
    package func streaming(window: Int64, receiverStartsAgain: Bool = false) -> MachineConfiguration {
        var streaming = self
        (streaming.streamWindow, streaming.receiverStartsAgain) = (window, receiverStartsAgain)
        streaming.mirrors = []
        streaming.usesLinkedMirrors = false
        streaming.pieces = nil
        streaming.usesHeaderChecksum = false
        return streaming
    }
}

extension DownloadError {
    /// The error of a stream whose file has changed after bytes were handed over.
    package static let streamChanged = DownloadError(
        .sourceChanged,
        "the file on the server has changed, and data of the old version was already written: start again",
        detail: .mustStartAgain)

    /// The error of a stream whose rest cannot be fetched separately after bytes were handed over.
    static let streamHasNoRest = DownloadError(
        .badResponse,
        "the server does not support range requests, and data was already written: start again",
        detail: .mustStartAgain)

    /// The same error for a stream that cannot continue in the middle.
    var endingStream: DownloadError {
        DownloadError(
            code, "\(message); the server does not support range requests, and data was already written",
            cause: cause, detail: .mustStartAgain)
    }
}

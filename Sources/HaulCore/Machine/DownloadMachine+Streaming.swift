/// A file that is not kept but handed to a receiver, in order, as it comes.
///
/// What was handed out can't be taken back: where a file would be begun again, a stream ends with an error instead, never with a mix.
extension DownloadMachine {
    /// Finished segments are joined when there are more than this many.
    private static let maxSegments = 64

    /// How far ahead it may be fetched; nil where the file is kept, and may be fetched in any order.
    var horizon: StreamHorizon? {
        guard let window = configuration.streamWindow else { return nil }
        return StreamHorizon(
            end: consumed.saturatingSum(window), piece: min(window, piece(of: window)),
            wantsMoreConnections: map.contiguousPrefix - consumed < window / 4)
    }

    /// Two pieces for each connection: a fast one then has the next while the others are still at theirs.
    private func piece(of window: Int64) -> Int64 {
        let share = window / Int64(2 * configuration.connections.maximum)
        return max(planner.minimumPiece, share / planner.alignment * planner.alignment)
    }

    /// The receiver is done with everything before `offset`.
    mutating func didConsume(_ offset: Int64, now: Duration) {
        consumed = max(consumed, offset)
        if map.segments.count > Self.maxSegments { map.mergeContiguousPrefix(sparing: Set(active.values.compactMap(\.segment))) }
        proceed(now: now)
    }

    /// Ends a stream that would have to begin again although bytes of it may have been handed out.
    ///
    /// - Returns: false where there are none, or where the file is kept.
    mutating func endsStream(_ error: DownloadError, now: Duration) -> Bool {
        guard configuration.streamWindow != nil, map.written > 0 else { return false }
        fail(error, now: now)
        return true
    }
}

extension MachineConfiguration {
    /// The same, for bytes that are handed out as they come and can't be taken back: from one source, and without digests that come too
    /// late to begin with them.
    package func streaming(window: Int64) -> MachineConfiguration {
        var streaming = self
        streaming.streamWindow = window
        streaming.mirrors = []
        streaming.usesLinkedMirrors = false
        streaming.pieces = nil
        streaming.usesHeaderChecksum = false
        return streaming
    }
}

extension DownloadError {
    /// The file has changed after bytes of it were handed out.
    package static let streamChanged = DownloadError(
        .sourceChanged,
        "the file on the server has changed meanwhile; what was written is part of the old one and can't be taken back: start again"
    )

    /// The rest can't be fetched alone after bytes were handed out.
    static let streamHasNoRest = DownloadError(
        .badResponse,
        "the server does not send the rest of the file alone, and what was written can't be taken back: start again")

    /// The same error of a stream that can't go on in the middle.
    var endingStream: DownloadError {
        DownloadError(
            code, "\(message); the server does not send the rest alone, and what was written can't be taken back",
            cause: cause)
    }
}

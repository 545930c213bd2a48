/// Starting from scratch.
extension DownloadMachine {
    /// The number of restarts after which a file that keeps changing is requested as a whole: one response is always of
    /// one version.
    private static let restartsInParts = 3

    /// Starts from scratch because of a source, up to five times.
    mutating func restart(
        _ notice: Notice, of source: SourceID, then next: MachinePhase.AfterDraining = .restart, now: Duration
    ) {
        if notice == .rangesIgnored, mustNotStartOver { return fail(canNotResume, now: now) }
        if endsStream(notice == .rangesIgnored ? noRest(of: source) : .streamChanged, now: now) { return }
        restarts += 1
        guard restarts <= 5 else { return fail(Self.tooManyRestarts(notice), now: now) }
        switch notice {
        case .rangesIgnored:
            sources[source].usesRanges = false
            // Otherwise they would get a part of the file again, and nobody could deliver it when they disagree again.
            if restarts > 1 { sources.leaveOutDisagreeing() }
        case .sourceChanged:
            (farthest, headerChecksum, describedChecksum) = (0, nil, nil)
            if restarts >= Self.restartsInParts { sources[source].usesRanges = false }
        case .partialQuarantined, .fewerConnections, .sourceExcluded, .badPieces, .headerDigestWrong, .webPage: break
        }
        sources[source].consensus = Consensus()
        effects.append(.emit(.notice(notice)))
        drain(notice == .rangesIgnored ? startOver : next, now: now)
    }

    /// Returns the error of a stream whose rest a source can't send: that of the connection that broke, if there was one.
    private func noRest(of source: SourceID) -> DownloadError {
        (sources[source].excusedBreak ?? sources[source].lastError)?.endingStream ?? .streamHasNoRest
    }

    /// True if the received bytes must not be discarded to start over.
    var mustNotStartOver: Bool { configuration.tuning.neverStartsOver == true && map.written > 0 }

    private var canNotResume: DownloadError {
        let message = "the server can't send the rest of the file"
        return DownloadError(.sourceChanged, keepsBytes ? message + "; the data is kept" : message)
    }

    private static func tooManyRestarts(_ notice: Notice) -> DownloadError {
        notice == .rangesIgnored
            ? DownloadError(
                .badResponse,
                "the server's range responses are invalid, and the whole file did not arrive: try again later")
            : DownloadError(.sourceChanged, "the file on the server keeps changing: try again later")
    }
}

/// The way in which the same download would continue after it was stopped.
package enum Resumption: Hashable, Sendable, CaseIterable {
    /// It resumes.
    case resumes
    /// It resumes if the server supports ranges, which is not known yet.
    case depends
    /// The whole file is requested again, because the server does not support ranges; the partial file is kept.
    case lacksRanges
    /// It starts again, because no partial file is kept.
    case nothingKept
}

extension DownloadMachine {
    /// The size up to which a file has no journal: it fits one response.
    package static let smallFileBytes: Int64 = 256 << 10

    /// The way in which the same download would continue if this run is stopped now.
    package var resumption: Resumption {
        let written = max(map.written, awaited.map(\.position).max() ?? 0)
        guard keepsBytes, written > 0, map.total != nil || canMeasure(by: sources.primary) else { return .nothingKept }
        let able = sources.ids.map { sources[$0] }.filter { $0.exclusion == nil && ($0.usesRanges && $0.servesRanges) }
        if able.contains(where: { $0.hasServedRange || $0.promisesRanges }) { return .resumes }
        return able.isEmpty ? .lacksRanges : .depends
    }

    /// The pieces of a partial file that are resumed once something is known of the file.
    private var awaited: [Located.Piece] {
        switch phase {
        case .describing(let pieces), .draining(.describe(let pieces)): pieces
        case .idle, .locating, .probing, .preparing, .proving, .reopening, .transferring, .draining, .verifying,
            .publishing, .closing, .ended:
            unmeasured?.pieces ?? []
        }
    }
}

extension MachineConfiguration {
    /// Returns true if the bytes of a file that begins with a response are kept when the download ends before it is
    /// complete: not those of a stream or a small file, nor any that could not be continued.
    func keepsBytes(of facts: ResponseFacts) -> Bool {
        resumes && streamWindow == nil && facts.canContinue
            && facts.total.map { $0 > DownloadMachine.smallFileBytes } ?? true
    }
}

extension DownloadError {
    /// Returns the error of a download that was stopped by its caller.
    package static func stopped(_ resumption: Resumption) -> DownloadError {
        switch resumption {
        case .resumes: DownloadError(.cancelled, "stopped; the partial file is kept")
        case .depends:
            DownloadError(
                .cancelled, "stopped; the partial file is kept",
                cause: "it is unknown whether the server supports range requests")
        case .lacksRanges:
            DownloadError(
                .cancelled, "stopped; the partial file is kept",
                cause: "the server does not support range requests, so the whole file will be requested again")
        case .nothingKept: DownloadError(.cancelled, "stopped; no data is kept")
        }
    }

    /// The way in which the download would continue, if this is the error of a stopped download.
    package var resumption: Resumption? {
        code == .cancelled ? Resumption.allCases.first { Self.stopped($0) == self } : nil
    }
}

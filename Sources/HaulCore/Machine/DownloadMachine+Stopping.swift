/// What the same download does after it was stopped.
package enum Resumption: Hashable, Sendable, CaseIterable {
    /// It resumes.
    case resumes
    /// It resumes if the server supports ranges, which it has neither shown nor denied.
    case depends
    /// It starts again: the server does not support ranges.
    case lacksRanges
    /// It starts again: nothing of it is kept.
    case nothingKept
}

extension DownloadMachine {
    /// Up to this size a file has no journal: it fits one response.
    package static let smallFileBytes: Int64 = 256 << 10

    /// What the same download does if this run is stopped now.
    package var resumption: Resumption {
        let written = max(map.written, unmeasured?.pieces.map(\.position).max() ?? 0)
        guard configuration.resumes, configuration.streamWindow == nil, written > 0,
            map.total.map({ $0 > Self.smallFileBytes }) ?? canMeasure
        else { return .nothingKept }
        let able = sources.ids.map { sources[$0] }.filter { $0.exclusion == nil && ($0.usesRanges && $0.servesRanges) }
        if able.contains(where: { $0.hasServedRange || $0.promisesRanges }) { return .resumes }
        return able.isEmpty ? .lacksRanges : .depends
    }
}

extension DownloadError {
    /// The end of a download that was stopped by its caller.
    package static func stopped(_ resumption: Resumption) -> DownloadError {
        switch resumption {
        case .resumes: DownloadError(.cancelled, "stopped; the partial file is kept")
        case .depends:
            DownloadError(
                .cancelled, "stopped; the partial file is kept",
                cause: "the server has not said whether it supports ranges")
        case .lacksRanges:
            DownloadError(
                .cancelled, "stopped; the download starts again the next time",
                cause: "the server does not support ranges")
        case .nothingKept: DownloadError(.cancelled, "stopped; the download starts again the next time")
        }
    }

    /// What the download does the next time, if it is the error of one that was stopped.
    package var resumption: Resumption? {
        code == .cancelled ? Resumption.allCases.first { Self.stopped($0) == self } : nil
    }
}

package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The state of a download: `DownloadSnapshot`, with the data of its state in fields of their own.
package struct DownloadMessage: Hashable, Sendable, Codable, Identifiable {
    /// The download.
    package var id: DownloadID
    /// The caller's key for it.
    package var key: String
    /// The display name of the file: its present or future name, otherwise the one that its URL suggests.
    package var name: String
    /// The request, without secrets and without fields that have their default.
    package var request: DownloadRequest
    /// The state of the download.
    package var state: DownloadState.Kind
    /// With `waiting`: the reason.
    package var wait: WaitMessage?
    /// With `paused`: the reason.
    package var pause: PauseReason?
    /// With `finished`: the facts.
    package var finish: FinishMessage?
    /// With `failed`: the error.
    package var error: DownloadError?
    /// With `cancelled`: true if the partial file is kept.
    package var keptPartial: Bool?
    /// The present or future path of the file, once it is known.
    package var path: String?
    /// The progress of the current or last run.
    package var progress: TransferProgress
    /// The time at which it was added.
    package var added: Date
    /// The name of the token that it was added with; nil if the daemon's user added it.
    package var addedBy: String?
    /// The time of the last change of its state.
    package var changed: Date
    /// In the response to adding it: true if it was added; false if one with its key was in the list before.
    package var isNew: Bool?

    /// Creates the message for a snapshot.
    package init(_ snapshot: DownloadSnapshot) {
        id = snapshot.id
        key = snapshot.key
        name = Self.name(of: snapshot)
        request = DownloadRequest(reporting: snapshot.spec)
        state = snapshot.state.kind
        path = snapshot.path
        progress = snapshot.progress
        added = snapshot.added
        addedBy = snapshot.spec.local.addedBy
        changed = snapshot.changed
        switch snapshot.state {
        case .waiting(let reason): wait = WaitMessage(reason)
        case .running: break
        case .paused(let reason): pause = reason
        case .finished(let facts): finish = FinishMessage(facts)
        case .failed(let error): self.error = error
        case .cancelled(let kept): keptPartial = kept
        }
    }

    private static func name(of snapshot: DownloadSnapshot) -> String {
        var path = snapshot.path
        if path == nil { path = snapshot.spec.destination.filePath }
        if let name = path?.split(separator: "/").last { return String(name) }
        guard let url = try? SourceURL(parsing: snapshot.spec.url) else { return FileName.fallback }
        return FileName.suggested(contentDisposition: nil, url: url)
    }
}

extension DownloadMessage {
    /// The snapshot in the message; its spec lacks secrets.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for values that this version does not know, or that are
    ///   contradictory.
    package var snapshot: DownloadSnapshot {
        get throws(DownloadError) {
            var spec = request.reportedSpec
            spec.local.addedBy = addedBy
            return DownloadSnapshot(
                id: id, key: key, spec: spec, state: try reportedState,
                path: path,
                progress: progress, added: added, changed: changed)
        }
    }

    private var reportedState: DownloadState {
        get throws(DownloadError) {
            switch state {
            case .waiting: if let wait { return .waiting(try wait.waitReason) }
            case .running: return .running
            case .paused: return .paused(pause ?? .asked)
            case .finished: if let finish { return .finished(try finish.facts) }
            case .failed: if let error { return .failed(error) }
            case .cancelled: return .cancelled(keptPartial: keptPartial ?? false)
            }
            throw .unknownMessage("\"\(state.rawValue)\" without details")
        }
    }
}

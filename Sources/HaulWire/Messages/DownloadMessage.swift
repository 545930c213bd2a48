package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// All that is known of a download: `DownloadSnapshot`, its state side by side with what belongs to it.
package struct DownloadMessage: Hashable, Sendable, Codable, Identifiable {
    /// The download.
    package var id: DownloadID
    /// The caller's identity for it.
    package var key: String
    /// The name of the file for people: the one it has or will have, else the one its URL suggests.
    package var name: String
    /// What was asked for, without secrets and without what is as usual.
    package var request: DownloadRequest
    /// Where it stands.
    package var state: DownloadState.Kind
    /// With `waiting`: for what.
    package var wait: WaitMessage?
    /// With `paused`: why.
    package var pause: PauseReason?
    /// With `finished`: the facts.
    package var finish: FinishMessage?
    /// With `failed`: why.
    package var error: DownloadError?
    /// With `cancelled`: whether the bytes stay.
    package var keptPartial: Bool?
    /// Where the file is or will be, once that is known.
    package var path: String?
    /// How far it is, or was.
    package var progress: TransferProgress
    /// When it was added.
    package var added: Date
    /// When its state changed last.
    package var changed: Date
    /// In the answer to adding it: whether it was added; false: one with its key was in the list before.
    package var isNew: Bool?

    /// Tells a snapshot.
    package init(_ snapshot: DownloadSnapshot) {
        id = snapshot.id
        key = snapshot.key
        name = Self.name(of: snapshot)
        request = DownloadRequest(reporting: snapshot.spec)
        state = snapshot.state.kind
        path = snapshot.path
        progress = snapshot.progress
        added = snapshot.added
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
        if path == nil, case .file(let asked) = snapshot.spec.destination { path = asked }
        if let name = path?.split(separator: "/").last { return String(name) }
        guard let url = try? SourceURL(parsing: snapshot.spec.url) else { return FileName.fallback }
        return FileName.suggested(contentDisposition: nil, url: url)
    }
}

extension DownloadMessage {
    /// The snapshot that was told; its spec lacks secrets.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for what this version does not know, or what contradicts itself.
    package var snapshot: DownloadSnapshot {
        get throws(DownloadError) {
            DownloadSnapshot(
                id: id, key: key, spec: try request.spec(to: request.reportedDestination), state: try reportedState, path: path,
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
            throw .unknownMessage("\"\(state.rawValue)\" without saying more")
        }
    }
}

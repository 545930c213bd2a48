import Haul
import HaulCore

/// Which downloads a stream of events is about: those with one of some tags.
///
/// A download's tags never change, so each is looked up once. Of one that is gone nobody knows any more whose it was: of those only the
/// removal is told, and the caller knows whether it had it.
struct EventMembers {
    private let tags: Set<String>?
    private var known: [DownloadID: Bool] = [:]

    /// Begins with nothing known; nil: all are members.
    init(_ tags: Set<String>?) { self.tags = tags }

    /// Whether an event belongs to the stream.
    mutating func hold(_ event: DownloadEvent, _ manager: DownloadManager) async -> Bool {
        guard let tags else { return true }
        defer { if case .removed = event.kind { known[event.download] = nil } }
        if let isMember = known[event.download] { return isMember }
        if case .removed = event.kind { return true }
        guard let snapshot = try? await manager.snapshot(event.download) else { return false }
        let isMember = !snapshot.spec.tags.isDisjoint(with: tags)
        known[event.download] = isMember
        return isMember
    }
}

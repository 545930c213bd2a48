import Haul
import HaulCore

/// Which downloads a stream of events is about: those with one of some tags.
///
/// A download's tags never change, so each is looked up once. Of one that is gone the event of its removal knows them.
struct EventMembers {
    private let tags: Set<String>?
    private var known: [DownloadID: Bool] = [:]
    /// Members that are gone, as far as was asked, and the last event that was there then.
    private var gone: Set<DownloadID> = []
    private var asked: Int64 = 0

    /// Begins with nothing known; nil: all are members.
    init(_ tags: Set<String>?) { self.tags = tags }

    /// Whether an event belongs to the stream.
    mutating func hold(_ event: DownloadEvent, _ manager: DownloadManager) async -> Bool {
        guard let tags else { return true }
        defer { if case .removed = event.kind { known[event.download] = nil } }
        if let isMember = known[event.download] { return isMember }
        let isMember =
            if let snapshot = try? await manager.snapshot(event.download) {
                !snapshot.spec.tags.isDisjoint(with: tags)
            } else {
                await wasMember(event, tags, manager)
            }
        known[event.download] = isMember
        return isMember
    }

    /// Whether one that is gone was a member.
    ///
    /// The removal is this event or a later one; what was asked for is not asked for again.
    private mutating func wasMember(
        _ event: DownloadEvent, _ tags: Set<String>, _ manager: DownloadManager
    ) async -> Bool {
        let last = manager.lastEventNumber
        if asked < last, let found = try? await manager.removed(withOneOf: tags, after: max(asked, event.number - 1)) {
            gone.formUnion(found)
            asked = last
        }
        return gone.contains(event.download)
    }
}

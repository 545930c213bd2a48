import Haul
import HaulCore

/// Decides which events belong to a stream that is filtered by tags.
///
/// The tags of a download never change, so each is looked up once. For a removed download, the event of its removal
/// contains them.
struct EventMembers {
    private let tags: Set<String>?
    private var known: [DownloadID: Bool] = [:]
    /// The removed members, as far as known, and the last event at the time of the query.
    private var gone: Set<DownloadID> = []
    private var asked: Int64 = 0

    /// Makes an empty cache; with nil, all downloads are members.
    init(_ tags: Set<String>?) { self.tags = tags }

    /// Returns true if an event belongs to the stream.
    ///
    /// - Throws: `DownloadError` if that can't be found out: the stream must end then, instead of leaving out the event.
    mutating func hold(_ event: DownloadEvent, _ manager: DownloadManager) async throws(DownloadError) -> Bool {
        guard let tags else { return true }
        defer { if case .removed = event.kind { known[event.download] = nil } }
        if let isMember = known[event.download] { return isMember }
        let isMember: Bool
        do throws(DownloadError) {
            isMember = !(try await manager.snapshot(event.download).spec.tags.isDisjoint(with: tags))
        } catch {
            guard error.code == .noSuchDownload else { throw error }
            isMember = try await wasMember(event, tags, manager)
        }
        known[event.download] = isMember
        return isMember
    }

    /// Returns true if a removed download was a member.
    ///
    /// Its removal is this event or a later one; earlier queries are not repeated.
    private mutating func wasMember(
        _ event: DownloadEvent, _ tags: Set<String>, _ manager: DownloadManager
    ) async throws(DownloadError) -> Bool {
        let last = manager.lastEventNumber
        if asked < last {
            gone.formUnion(try await manager.removed(withOneOf: tags, after: max(asked, event.number - 1)))
            asked = last
        }
        return gone.contains(event.download)
    }
}

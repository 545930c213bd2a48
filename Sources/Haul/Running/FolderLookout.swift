import Dispatch
import HaulCore
import HaulFiles
import Synchronization

/// Tells which places are free, for many downloads into the same folders.
///
/// What it tells may be a second old. That is no promise lost: it is asked before a request, and the name is taken after the answer, by
/// a call that replaces nothing.
final class FolderLookout: Sendable {
    private struct Folder {
        var looks = FolderLooks()
        var listing: FolderListing?

        mutating func ask(_ now: ContinuousClock.Instant) -> (FolderLooks.Advice, FolderListing?) {
            let advice = looks.ask(now)
            if advice != .listing { listing = nil }
            return (advice, listing)
        }

        mutating func heard(_ listing: FolderListing?, at begin: ContinuousClock.Instant) {
            self.listing = listing
            if let listing { looks.read(listing.count, at: begin) } else { looks.failed() }
        }
    }

    /// How many folders it knows; beyond that it forgets them all.
    private static let mostFolders = 16

    private let system: SystemCalls
    private let now: @Sendable () -> ContinuousClock.Instant
    private let folders = Mutex<[String: Folder]>([:])
    private let queue = DispatchQueue(label: "haul.folders")

    /// Makes one that has looked at nothing.
    init(system: SystemCalls, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.system = system
        self.now = now
    }

    /// Whether nothing stands at a place: no file, no partial, no journal, all of which would be in one folder.
    func isFree(_ names: PartialNames) -> Bool {
        let now = now()
        let (advice, listing) = folders.withLock { folders in
            if folders[names.folder] == nil, folders.count >= Self.mostFolders { folders = [:] }
            return folders[names.folder, default: Folder()].ask(now)
        }
        if case .lookAndRead(let limit) = advice { read(names.folder, limit) }
        // A mark that is there may be another name's.
        return listing?.lacks(names) == true || looksFree(names)
    }

    private func looksFree(_ names: PartialNames) -> Bool {
        [names.final, names.partial, names.journal].allSatisfy {
            do throws(FileError) { return try system.status(atPath: $0) == nil } catch { return false }
        }
    }

    /// Reads a folder on a thread of its own; until then names are looked at.
    private func read(_ folder: String, _ limit: Int) {
        queue.async { [self] in
            let begin = now()
            let listing = try? FolderListing(folder, limit: limit, system: system)
            folders.withLock { $0[folder]?.heard(listing, at: begin) }
        }
    }
}

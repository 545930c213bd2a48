import Dispatch
import HaulCore
import HaulFiles
import Synchronization

/// Tells which places are free, for many downloads into the same folders.
///
/// What it tells of other programs' files may be a second old. The name of a file is taken by a call that replaces nothing, so what came there in
/// between is only found later, as it is when it comes after a look. Of partials of this program it knows at once.
final class DirectoryNameCache: Sendable {
    /// How many folders it knows; beyond that it forgets one of them.
    private static let maxFolders = 8

    private let system: SystemCalls
    private let now: @Sendable () -> ContinuousClock.Instant
    private let folders = Mutex<[String: DirectoryCachePolicy<FolderListing>]>([:])
    private let queue = DispatchQueue(label: "haul.folders")

    /// Makes one that has looked at nothing.
    init(system: SystemCalls, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.system = system
        self.now = now
    }

    /// Whether nothing stands at a place: no file, no partial, no journal, all of which would be in one folder.
    func isFree(_ names: PartialNames) -> Bool {
        let now = now()
        let advice = folders.withLock { folders in
            if folders[names.folder] == nil, folders.count >= Self.maxFolders { _ = folders.popFirst() }
            return folders[names.folder, default: DirectoryCachePolicy()].ask(now)
        }
        switch advice {
        // A mark that is there may be another name's.
        case .listing(let listing): return listing.lacks(names) || looksFree(names)
        case .lookAndRead(let limit): read(names.folder, limit)
        case .look: break
        }
        return looksFree(names)
    }

    /// A partial was made or opened in a folder.
    func changed(_ folder: String) { folders.withLock { $0[folder]?.changed() } }

    /// Nothing is won by answers for this folder.
    func giveUp(_ folder: String) { folders.withLock { $0[folder]?.giveUp() } }

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
            let end = now()
            folders.withLock { folders in
                if let listing {
                    folders[folder]?.read(listing, names: listing.count, from: begin, to: end)
                } else {
                    folders[folder]?.failed()
                }
            }
        }
    }
}

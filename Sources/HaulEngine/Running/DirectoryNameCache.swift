import Dispatch
import HaulCore
import HaulFiles
import Synchronization

/// Finds out which paths are free, for many downloads into the same folders.
///
/// Its knowledge of files of other programs may be a second old. A finished file gets its name by a call that replaces
/// nothing, so a file that appeared in between is only noticed later, just as if it appeared after a check. Partial
/// files of this program are known at once.
final class DirectoryNameCache: Sendable {
    /// The maximum number of folders; beyond that, one of them is forgotten.
    private static let maxFolders = 8

    private let system: SystemCalls
    private let now: @Sendable () -> ContinuousClock.Instant
    private let folders = Mutex<[String: DirectoryCachePolicy<FolderListing>]>([:])
    private let queue = DispatchQueue(label: "haul.folders")

    /// Creates an empty cache.
    init(system: SystemCalls, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.system = system
        self.now = now
    }

    /// Returns true if there is no file, partial file or journal, all of which would be in one folder.
    func isFree(_ names: PartialNames) -> Bool {
        let now = now()
        let advice = folders.withLock { folders in
            if folders[names.folder] == nil, folders.count >= Self.maxFolders { _ = folders.popFirst() }
            return folders[names.folder, default: DirectoryCachePolicy()].ask(now)
        }
        switch advice {
        // Two names may share a mark, so a mark alone does not prove that the name is taken.
        case .listing(let listing): return listing.lacks(names) || looksFree(names)
        case .lookAndRead(let limit): read(names.folder, limit)
        case .look: break
        }
        return looksFree(names)
    }

    /// Records that a partial file was created or opened in a folder.
    func changed(_ folder: String) { folders.withLock { $0[folder]?.changed() } }

    /// Stops caching a folder.
    func giveUp(_ folder: String) { folders.withLock { $0[folder]?.giveUp() } }

    private func looksFree(_ names: PartialNames) -> Bool {
        [names.final, names.partial, names.journal].allSatisfy {
            do throws(FileError) { return try system.status(atPath: $0) == nil } catch { return false }
        }
    }

    /// Reads a folder on a thread of its own; until then, each name is checked.
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

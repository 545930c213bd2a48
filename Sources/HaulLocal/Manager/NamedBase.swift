import HaulCore
import HaulEngine
import HaulFiles
import HaulStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder with a name, whose path may be another one at the next launch.
///
/// Paths in a manager's list that lie in a named base are relative to it: if the base has another path when the list is
/// opened, they mean the files at the new place. An app's container moves with updates of the app or of the system, and so
/// does a folder that is restored from a backup. The files must have moved along: unfinished ones with their journals.
///
///     configuration.bases = [.documents, NamedBase("media", path: "/Volumes/Media")]
public struct NamedBase: Hashable, Sendable {
    /// The name by which the base is found again at the next launch; it must not change.
    public let identifier: String
    /// The present path, absolute.
    public let path: String

    /// Creates a base.
    public init(_ identifier: String, path: String) {
        self.identifier = identifier
        self.path = path
    }

    /// The user's documents, as `URL.documentsDirectory`.
    public static var documents: NamedBase { NamedBase("documents", .documentDirectory) }
    /// The caches of the user or app, as `URL.cachesDirectory`.
    public static var caches: NamedBase { NamedBase("caches", .cachesDirectory) }
    /// The data of the app, as `URL.applicationSupportDirectory`.
    public static var applicationSupport: NamedBase { NamedBase("applicationSupport", .applicationSupportDirectory) }

    private init(_ identifier: String, _ folder: FileManager.SearchPathDirectory) {
        let url = FileManager.default.urls(for: folder, in: .userDomainMask).first
        self.init(identifier, path: url?.path(percentEncoded: false) ?? "")
    }

    /// The bases that a configuration begins with: the three of the system where containers move, elsewhere none.
    static var usual: [NamedBase] {
        #if canImport(Darwin)
            [.documents, .caches, .applicationSupport]
        #else
            []
        #endif
    }
}

extension StoredBase {
    /// Checks the bases of a configuration, and finds their paths without links.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if an identifier is empty or used twice, or a path is relative.
    static func all(_ bases: [NamedBase]) throws(DownloadError) -> [StoredBase] {
        var identifiers: Set<String> = []
        var result: [StoredBase] = []
        for base in bases {
            guard !base.identifier.isEmpty, identifiers.insert(base.identifier).inserted else {
                throw DownloadError(
                    .invalidRequest,
                    base.identifier.isEmpty
                        ? "a named base has an empty identifier" : "two named bases are called \(base.identifier)")
            }
            var path = base.path
            while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
            guard path.utf8.first == UInt8(ascii: "/"), path != "/" else {
                throw DownloadError(
                    .invalidRequest, "the path of the named base \(base.identifier) must be absolute, and not /")
            }
            result.append(
                StoredBase(
                    identifier: base.identifier, path: path, realPath: SystemCalls.live.realPath(path) ?? path))
        }
        return result
    }
}

extension Catalogue {
    /// Has the paths of the list mean the present folders of named bases; blocks.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if a base is invalid; `catalogueFailed`.
    func resolve(_ bases: [NamedBase]) throws(DownloadError) {
        let bases = try StoredBase.all(bases)
        let moved = try movedFolders(bases)
        if !moved.isEmpty {
            // Before the list: if the process is killed in between, the next launch finds these files renamed already.
            for record in try unfinished(where: { $0.partialFolder != nil }) { record.renamePartial(moved) }
        }
        try rebase(moved, bases)
    }
}

extension StoredRecord {
    /// Renames a partial file in a folder for partial files: its name depends on the path of the finished file.
    fileprivate func renamePartial(_ moved: MovedFolders) {
        guard let target = targetPath ?? spec.filePath, let folder = spec.partialFolder else { return }
        let (newTarget, newFolder) = (moved.path(target), moved.path(folder))
        guard newTarget != target else { return }
        let system = SystemCalls.live
        let name = String(newTarget.split(separator: "/").last ?? "")
        let parent = PartialNames(final: newTarget).folder
        let new = PartialNames(
            final: newTarget, dataFolder: newFolder, identity: (system.realPath(parent) ?? parent) + "/" + name)
        for identity in moved.earlierPaths(of: newTarget) + [target] {
            let old = PartialNames(final: target, dataFolder: newFolder, identity: identity)
            for (old, new) in [(old, new), (old.alternative, new.alternative)] {
                // What does not exist is not renamed, and what exists is not replaced.
                try? system.renameNoReplace(old.journal, to: new.journal)
                try? system.renameNoReplace(old.partial, to: new.partial)
            }
        }
    }
}

extension DownloadSpec {
    /// The path of the file if it does not depend on the server.
    fileprivate var filePath: String? {
        if case .file(let path) = placement.destination { path } else { nil }
    }
}

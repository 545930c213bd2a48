import Foundation
import Haul
package import HaulCore

/// The folders that downloads may go to.
package struct Aria2Roots: Hashable, Sendable {
    /// Where a download goes that names no folder, and what a relative one is relative to.
    package let folder: String
    /// What no download may leave; nil: it may go wherever the user may write.
    package let roots: [String]?

    /// Makes the rule.
    ///
    /// - Parameters:
    ///   - folder: Absolute.
    ///   - roots: Absolute; nil: no limit. The folder should be in one of them.
    package init(folder: String, roots: [String]?) {
        self.folder = folder
        self.roots = roots
    }

    /// The absolute path of a file.
    ///
    /// - Parameters:
    ///   - out: As a client names it: it may hold folders. Where there are roots, what is behind the last slash is made a safe name.
    ///   - dir: The folder; nil: the usual one.
    /// - Throws: `Aria2Failure` where it leads out of the roots.
    package func file(_ out: String, dir: String?) throws(Aria2Failure) -> String {
        let parts = out.pathComponents.filter { $0 != "." }
        guard let last = parts.last else { throw .option("out") }
        guard roots != nil else { return try self.dir(dir) + "/" + parts.joined(separator: "/") }
        let folders = parts.dropLast()
        guard !parts.contains(".."), folders.allSatisfy({ FileName.safe($0) == $0 }) else { throw .option("out") }
        let folder = try self.dir(([dir ?? self.folder] + folders).joined(separator: "/"))
        return folder + "/" + FileName.safe(last)
    }

    /// The absolute path of a folder.
    ///
    /// - Throws: `Aria2Failure` where it leads out of the roots, over symbolic links, too.
    package func dir(_ dir: String?) throws(Aria2Failure) -> String {
        let text = dir ?? folder
        let absolute = text.hasPrefix("/") ? text : folder + "/" + text
        let parts = absolute.pathComponents.filter { $0 != "." }
        if let roots { _ = try Self.place(of: parts, in: roots) }
        return "/" + parts.joined(separator: "/")
    }

    /// The components of a path inside the roots, its symbolic links followed.
    private static func place(of parts: [String], in roots: [String]) throws(Aria2Failure) -> [String] {
        // A `..` behind a symbolic link leads elsewhere than it seems.
        guard !parts.contains("..") else { throw .outside }
        let real = resolved(parts)
        let isInside = roots.contains { root in
            real.starts(with: resolved(root.pathComponents))
        }
        guard isInside else { throw .outside }
        return real
    }

    /// The components of a path whose beginning, as far as it is there, has its symbolic links followed.
    private static func resolved(_ parts: [String]) -> [String] {
        var there = parts
        while !there.isEmpty {
            let path = "/" + there.joined(separator: "/")
            if FileManager.default.fileExists(atPath: path) {
                let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                return real.pathComponents + parts.dropFirst(there.count)
            }
            // A link that leads nowhere yet could lead anywhere later.
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil { return ["\u{0}"] }
            there.removeLast()
        }
        return parts
    }

    /// The folder that a destination is in.
    package static func folder(of destination: Destination) -> String {
        switch destination {
        case .folder(let path), .hashed(let path): path
        case .file(let path): path.pathComponents.dropLast().reduce("") { $0 + "/" + $1 }
        }
    }

    /// Creates a folder and those above it if they are missing, inside the roots.
    ///
    /// - Parameter base: A folder that the path begins with; no symbolic link below it is followed. Nil: existing links are followed.
    /// - Throws: `Aria2Failure` where it leads out of the roots, or can't be created.
    package func make(_ folder: String, below base: String? = nil) throws(Aria2Failure) {
        var (path, strict) = (folder, base)
        if let roots {
            let known = (base ?? folder).pathComponents
            let rest = folder.pathComponents.dropFirst(known.count)
            // Its links are followed here: one that takes the place of a folder meanwhile is refused.
            path = "/" + (try Self.place(of: known, in: roots) + rest).joined(separator: "/")
            strict = "/"
        }
        do throws(DownloadError) {
            try FolderMaker.make(path, below: strict)
        } catch {
            throw .refused("Failed to make the directory \(TerminalText.printable(folder))", detail: error.description)
        }
    }
}

extension Aria2Failure {
    /// A path that is none of the client's business.
    static let outside = refused("The directory is outside of the folders that downloads may go to.")
}

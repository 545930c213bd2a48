import Foundation
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
        let parts = out.split(separator: "/").filter { $0 != "." }
        guard let last = parts.last else { throw .option("out") }
        guard roots != nil else { return try self.dir(dir) + "/" + parts.joined(separator: "/") }
        let folders = parts.dropLast().map(String.init)
        guard !parts.contains(".."), folders.allSatisfy({ FileName.safe($0) == $0 }) else { throw .option("out") }
        let folder = try self.dir(([dir ?? self.folder] + folders).joined(separator: "/"))
        return folder + "/" + FileName.safe(String(last))
    }

    /// The absolute path of a folder.
    ///
    /// - Throws: `Aria2Failure` where it leads out of the roots, over symbolic links, too.
    package func dir(_ dir: String?) throws(Aria2Failure) -> String {
        let text = dir ?? folder
        let absolute = text.hasPrefix("/") ? text : folder + "/" + text
        let parts = absolute.split(separator: "/").filter { $0 != "." }
        let path = "/" + parts.joined(separator: "/")
        guard let roots else { return path }
        // A `..` behind a symbolic link leads elsewhere than it seems.
        guard !parts.contains("..") else { throw .outside }
        let real = Self.resolved(parts.map(String.init))
        let isInside = roots.contains { root in
            let root = Self.resolved(root.split(separator: "/").map(String.init))
            return real.starts(with: root)
        }
        guard isInside else { throw .outside }
        return path
    }

    /// The components of a path whose beginning, as far as it is there, has its symbolic links followed.
    private static func resolved(_ parts: [String]) -> [String] {
        var there = parts
        while !there.isEmpty {
            let path = "/" + there.joined(separator: "/")
            if FileManager.default.fileExists(atPath: path) {
                let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                return real.split(separator: "/").map(String.init) + parts.dropFirst(there.count)
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
        case .file(let path): path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        }
    }

    /// Makes a folder and those above it, where they are not there.
    package static func make(_ folder: String) throws(Aria2Failure) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .refused("Failed to make the directory \(TerminalText.printable(folder))")
        }
    }
}

extension Aria2Failure {
    /// A path that is none of the client's business.
    static let outside = refused("The directory is outside of the folders that downloads may go to.")
}

import Foundation
import Haul
package import HaulCore

/// The folders that downloads may be saved to.
package struct Aria2Roots: Sendable {
    /// The default folder, which is also the base of relative paths.
    package let folder: String
    /// The folders that contain all downloads; nil for no restriction.
    package let roots: [String]?
    /// Returns the message for a folder outside of the roots; nil for one that names them.
    private let outside: (@Sendable (_ folder: String) -> String)?

    /// Creates the rule.
    ///
    /// - Parameters:
    ///   - folder: An absolute path.
    ///   - roots: Absolute paths; nil for no restriction. The folder should be in one of them.
    ///   - outside: Returns the message for a folder outside of the roots; nil for one that names them.
    package init(folder: String, roots: [String]?, outside: (@Sendable (_ folder: String) -> String)? = nil) {
        self.folder = folder
        self.roots = roots
        self.outside = outside
    }

    /// Returns the absolute path of a file.
    ///
    /// - Parameters:
    ///   - out: The name given by a client, which may contain folders.
    ///     If there are roots, its last component is made a safe name.
    ///   - dir: The folder; nil for the default.
    ///
    /// - Throws: `Aria2Failure` if the path is outside of the roots.
    package func file(_ out: String, dir: String?) throws(Aria2Failure) -> String {
        let parts = out.pathComponents.filter { $0 != "." }
        guard let last = parts.last else { throw .option("out") }
        guard roots != nil else { return try self.dir(dir) + "/" + parts.joined(separator: "/") }
        let folders = parts.dropLast()
        guard !parts.contains(".."), folders.allSatisfy({ FileName.safe($0) == $0 }) else { throw .option("out") }
        let folder = try self.dir(([dir ?? self.folder] + folders).joined(separator: "/"))
        return folder + "/" + FileName.safe(last)
    }

    /// Returns the absolute path of a folder.
    ///
    /// - Throws: `Aria2Failure` if it is outside of the roots, also by symbolic links.
    package func dir(_ dir: String?) throws(Aria2Failure) -> String {
        let text = dir ?? folder
        let absolute = text.hasPrefix("/") ? text : folder + "/" + text
        let parts = absolute.pathComponents.filter { $0 != "." }
        if let roots { _ = try place(of: parts, in: roots) }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the components of a path inside the roots, with symbolic links resolved.
    private func place(of parts: [String], in roots: [String]) throws(Aria2Failure) -> [String] {
        // A `..` after a symbolic link does not lead to the apparent parent.
        guard !parts.contains("..") else { throw outsideRoots(parts) }
        let real = Self.resolved(parts)
        func isInside(_ root: [String]) -> Bool { real.starts(with: root) { $0.hasBytes(of: $1) } }
        // By name first: the disk of another root may not respond.
        let isInside =
            roots.contains { isInside($0.pathComponents) }
            || roots.contains { isInside(Self.resolved($0.pathComponents)) }
        guard isInside else { throw outsideRoots(parts) }
        return real
    }

    /// Returns the error for a folder outside of the roots, which is the same whether the folder exists or not.
    private func outsideRoots(_ parts: [String]) -> Aria2Failure {
        let folder = "/" + parts.joined(separator: "/")
        if let outside { return .refused(outside(folder)) }
        let allowed = (roots ?? []).joined(separator: ", ")
        return .refused(
            "\(TerminalText.fitted(folder, width: 200)) is outside the allowed folders (\(allowed)): "
                + "choose a folder in one of them")
    }

    /// Returns the components of a path with the symbolic links of its existing part resolved.
    private static func resolved(_ parts: [String]) -> [String] {
        var there = parts
        while !there.isEmpty {
            let path = "/" + there.joined(separator: "/")
            if FileManager.default.fileExists(atPath: path) {
                let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                return real.pathComponents + parts.dropFirst(there.count)
            }
            // A dangling link could lead anywhere later.
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil { return ["\u{0}"] }
            there.removeLast()
        }
        return parts
    }

    /// Runs something that looks at a folder, on threads of its disk, which may not respond.
    func onDisk<Value: Sendable>(
        of dir: String?, _ body: @escaping @Sendable () throws(Aria2Failure) -> Value
    ) async throws(Aria2Failure) -> Value {
        let text = dir ?? folder
        let path = text.hasPrefix("/") ? text : folder + "/" + text
        let result = await FolderThreads.shared.run(at: path) { () -> Result<Value, Aria2Failure> in
            Result { () throws(Aria2Failure) in try body() }
        }
        return try result.get()
    }

    /// Returns the folder of a destination.
    package static func folder(of destination: Destination) -> String {
        switch destination {
        case .folder(let path), .hashed(let path): path
        case .file(let path): path.pathComponents.dropLast().reduce("") { $0 + "/" + $1 }
        }
    }

    /// Creates a folder and missing parents, inside the roots.
    ///
    /// - Parameter base: A folder with which the path begins; no symbolic link below it is followed. Nil if existing
    ///   links are followed.
    /// - Throws: `Aria2Failure` if the folder is outside of the roots, or cannot be created.
    package func make(_ folder: String, below base: String? = nil) throws(Aria2Failure) {
        var (path, strict) = (folder, base)
        if let roots {
            let known = (base ?? folder).pathComponents
            let rest = folder.pathComponents.dropFirst(known.count)
            // Its links are resolved here: a link that replaces a folder meanwhile is rejected.
            path = "/" + (try place(of: known, in: roots) + rest).joined(separator: "/")
            strict = "/"
        }
        do throws(DownloadError) {
            try FolderMaker.make(path, below: strict)
        } catch {
            throw .makingFolder(folder, error)
        }
    }
}

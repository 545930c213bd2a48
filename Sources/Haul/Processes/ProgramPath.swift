#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a program stands that is given by its absolute path or by its name alone.
package enum ProgramPath {
    /// What is searched where `PATH` is not set.
    package static let defaultFolders = "/usr/local/bin:/usr/bin:/bin"

    /// Whether a program may be given like this: an absolute path, or a name without a slash.
    ///
    /// What is relative to the current folder is refused: nobody knows what stands there when it is run.
    package static func isAcceptable(_ program: String) -> Bool {
        !program.isEmpty && !program.utf8.contains(0) && (program.hasPrefix("/") || !program.utf8.contains(slash))
    }

    /// The absolute path of a program, or nil where there is none.
    ///
    /// An absolute path stays as it is: what is wrong with it is told when it is started. A name is looked up in
    /// `searchPath`, the value of `PATH`, first folder first. Its empty and relative entries are skipped, although
    /// environ(7) lets them stand for the current folder.
    package static func find(
        _ program: String, searchPath: String?, isExecutable: (String) -> Bool = isExecutableFile
    ) -> String? {
        guard isAcceptable(program) else { return nil }
        guard !program.hasPrefix("/") else { return program }
        return (searchPath ?? defaultFolders).split(separator: ":")
            .filter { $0.hasPrefix("/") }
            .map { $0.hasSuffix("/") ? $0 + program : $0 + "/" + program }
            .first(where: isExecutable)
    }

    /// Whether a file, not a folder, stands there that this process may run.
    package static func isExecutableFile(_ path: String) -> Bool {
        let files = FileManager.default
        // Of a folder, the folder itself can be reached through it (path_resolution(7)).
        return files.isExecutableFile(atPath: path) && !files.isExecutableFile(atPath: path + "/.")
    }

    private static let slash = UInt8(ascii: "/")
}

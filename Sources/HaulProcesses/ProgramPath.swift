import HaulLibC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules for finding a program by its absolute path or its name.
package enum ProgramPath {
    /// The folders searched if `PATH` is not set.
    package static let defaultFolders = "/usr/local/bin:/usr/bin:/bin"

    /// Returns true for an absolute path, or a name without a slash.
    ///
    /// Paths relative to the current folder are rejected, since that may be any folder when the program is run.
    package static func isAcceptable(_ program: String) -> Bool {
        !program.isEmpty && !program.utf8.contains(0) && (program.hasPrefix("/") || !program.utf8.contains(slash))
    }

    /// Returns the absolute path of a program, or nil if there is none.
    ///
    /// An absolute path is returned unchanged; errors in it are reported when it is started. A name is looked up in
    /// `searchPath`, the value of `PATH`, first folder first. Its empty and relative entries are skipped, although
    /// environ(7) defines them as the current folder.
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

    /// Returns true if there is a file, not a folder, that this process may execute.
    package static func isExecutableFile(_ path: String) -> Bool {
        let files = FileManager.default
        // For a folder, the path with `/.` is accessible, too (path_resolution(7)).
        return files.isExecutableFile(atPath: path) && !files.isExecutableFile(atPath: path + "/.")
    }

    /// The path of the running program: absolute, unless the system does not report it.
    package static var own: String { reported ?? CommandLine.arguments.first ?? "" }

    private static var reported: String? {
        var bytes = [CChar](repeating: 0, count: 4096)
        #if canImport(Darwin)
            var size = UInt32(bytes.count)
            // Unsafe: the call writes at most `size` bytes, with a NUL, into the buffer (dyld(3)).
            guard unsafe _NSGetExecutablePath(&bytes, &size) == 0 else { return nil }
            // It may be relative, and lead over links.
            guard let text = unsafe realpath(bytes, nil) else { return nil }
            defer { unsafe free(text) }
            return unsafe String(cString: text)
        #else
            // Unsafe: the kernel writes at most `bytes.count` bytes into the buffer.
            let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
            guard count > 0, count < bytes.count else { return nil }
            return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #endif
    }

    private static let slash = UInt8(ascii: "/")
}

package import HaulCore
import HaulLibC

/// The paths of the daemon's own files (XDG Base Directory Specification 0.8).
package struct DaemonPaths: Hashable, Sendable {
    /// The folder of persistent files: list, token, settings, lock.
    package var stateFolder: String
    /// The Unix socket.
    package var socket: String
    /// The configuration file.
    package var configuration: String

    /// The maximum length of a Unix socket's path in bytes, without the final NUL: 107 on Linux (unix(7)), 103 on Apple's
    /// systems (unix(4)).
    package static let maxSocketPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Makes the paths for a user with this environment.
    ///
    /// Without `XDG_RUNTIME_DIR` the socket is in the state folder.
    package init(environment: [String: String]) {
        func folder(_ variable: String) -> String? {
            // The specification says to ignore relative paths.
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let home = folder("HOME") ?? "/"
        stateFolder = (folder("XDG_STATE_HOME") ?? home + "/.local/state") + "/haul"
        configuration = (folder("XDG_CONFIG_HOME") ?? home + "/.config") + "/haul/daemon.toml"
        socket = (folder("XDG_RUNTIME_DIR").map { $0 + "/haul" } ?? stateFolder + "/run") + "/daemon.sock"
    }

    /// The list of downloads.
    package var catalogue: String { stateFolder + "/downloads.sqlite" }
    /// The token for TCP.
    package var token: String { stateFolder + "/token" }
    /// The tokens with a name and a scope.
    package var tokens: String { stateFolder + "/tokens.json" }
    /// The settings that were changed over the API.
    package var settings: String { stateFolder + "/settings.json" }
    /// The lock that keeps a second daemon from starting.
    package var lock: String { stateFolder + "/daemon.lock" }
    /// The log of a daemon that `haul daemon start` has started.
    package var log: String { stateFolder + "/daemon.log" }
    /// The settings that the daemon was started with, for the next start.
    package var record: String { stateFolder + "/daemon.json" }

    /// Creates missing folders, accessible to the user only.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`, or `invalidRequest` if one of them is accessible to others or
    ///   the socket's path is too long for the system.
    package func prepare(makesSocket: Bool) throws(DownloadError) {
        try Self.make(stateFolder, option: Self.stateOption)
        guard makesSocket else { return }
        try Self.make(try socketFolder(), option: Self.socketOption)
    }

    /// Checks that the state folder can be used, or created; creates nothing.
    ///
    /// - Throws: As `prepare(makesSocket:)`.
    package func checkStateFolder() throws(DownloadError) { try Self.check(stateFolder, option: Self.stateOption) }

    /// Checks that a socket can be made, without making anything.
    ///
    /// - Returns: A remark if the socket's folder belongs to another user: only a service manager can make the socket.
    /// - Throws: As `prepare(makesSocket:)`.
    package func checkSocketFolder() throws(DownloadError) -> String? {
        let folder = try socketFolder()
        if let owner = Self.owner(of: folder), owner != geteuid() {
            return "the folder \(folder) belongs to another user: the daemon starts only if a service manager makes "
                + "the socket, as haul.socket does"
        }
        try Self.check(folder, option: Self.socketOption)
        return nil
    }

    private static let (stateOption, socketOption) = ("--state-folder", "--socket")

    private func socketFolder() throws(DownloadError) -> String {
        guard socket.utf8.count <= Self.maxSocketPath else {
            throw DownloadError(
                .invalidRequest,
                "\(socket) is too long for a Unix socket: choose one of at most \(Self.maxSocketPath) bytes with --socket"
            )
        }
        guard let slash = socket.lastIndex(of: "/"), slash > socket.startIndex else {
            throw DownloadError(.invalidRequest, "the path of the daemon's socket must be absolute: \(socket)")
        }
        return String(socket[..<slash])
    }

    private static func make(_ path: String, option: String) throws(DownloadError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            // Unsafe: the path is copied by the call.
            guard unsafe mkdir(made, 0o700) != 0 else { continue }
            let code = errno
            // Where nothing can be created, the error need not be that the folder exists.
            guard code == EEXIST || owner(of: made) != nil else { throw cannotCreate(made, path, option, code) }
        }
        try checkAccess(path, option: option)
    }

    /// Checks a folder that exists, or that it can be created.
    private static func check(_ path: String, option: String) throws(DownloadError) {
        guard owner(of: path) == nil else { return try checkAccess(path, option: option) }
        var made = ""
        var parent = "/"
        for part in path.split(separator: "/") {
            made += "/" + part
            if owner(of: made) != nil {
                parent = made
                continue
            }
            // Unsafe: the path is copied by the call.
            let code = isFolder(parent) ? (unsafe access(parent, W_OK | X_OK) == 0 ? 0 : errno) : ENOTDIR
            guard code == 0 else { throw cannotCreate(made, path, option, code) }
            // The kernel's own file systems have permissions, and no place for a folder.
            guard !["/proc", "/sys"].contains(where: { parent == $0 || parent.hasPrefix($0 + "/") }) else {
                throw cannotCreate(made, path, option, ENOENT)
            }
            return
        }
    }

    private static func cannotCreate(_ made: String, _ path: String, _ option: String, _ code: Int32) -> DownloadError {
        let start = "can't create the daemon's folder \(path)"
        let place = made == path ? "" : ", because of \(made)"
        return SystemFailure.error("\(start)\(place): choose another one with \(option)", code)
    }

    /// Returns the owner of a file; nil if it does not exist or can't be seen.
    private static func owner(of path: String) -> uid_t? {
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        return unsafe stat(path, &facts) == 0 ? facts.st_uid : nil
    }

    private static func isFolder(_ path: String) -> Bool {
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func checkAccess(_ path: String, option: String) throws(DownloadError) {
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe stat(path, &facts) == 0 else {
            throw SystemFailure.error("the daemon's folder \(path) does not exist", errno)
        }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw DownloadError(
                .invalidRequest, "the daemon's folder \(path) is not a folder: choose another one with \(option)")
        }
        guard facts.st_uid == geteuid() else {
            throw DownloadError(
                .invalidRequest,
                "the daemon's folder \(path) belongs to another user: choose another one with \(option)")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw DownloadError(
                .invalidRequest, "the daemon's folder \(path) must not be accessible to others: chmod 700 \(path)")
        }
    }
}

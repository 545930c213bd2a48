extension DaemonEndpoint {
    /// Where the user's daemon listens: where `HAUL_SOCKET` or `HAUL_STATE_FOLDER` says, else `haul/daemon.sock` in `XDG_RUNTIME_DIR`,
    /// else in the state folder (XDG Base Directory Specification); nil where the environment names no folder.
    package static func standard(environment: [String: String]) -> DaemonEndpoint? {
        if let path = environment["HAUL_SOCKET"], !path.isEmpty { return .unix(path: path) }
        if let state = absolute("HAUL_STATE_FOLDER", environment) { return .unix(path: state + "/run/daemon.sock") }
        if let folder = absolute("XDG_RUNTIME_DIR", environment) { return .unix(path: folder + "/haul/daemon.sock") }
        return stateFolder(environment).map { .unix(path: $0 + "/run/daemon.sock") }
    }

    /// The folder of what outlives a process, or nil.
    static func stateFolder(_ environment: [String: String]) -> String? {
        let folder = absolute("XDG_STATE_HOME", environment)
        return (folder ?? absolute("HOME", environment).map { $0 + "/.local/state" }).map { $0 + "/haul" }
    }

    /// Relative ones are to be ignored, says the specification.
    private static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

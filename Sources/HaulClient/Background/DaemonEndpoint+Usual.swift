extension DaemonEndpoint {
    /// Returns the endpoint of the user's daemon: the one in `HAUL_SOCKET` or `HAUL_STATE_FOLDER`, otherwise
    /// `haul/daemon.sock` in `XDG_RUNTIME_DIR`, otherwise in the state folder (XDG Base Directory Specification); nil
    /// if the environment names no folder.
    package static func standard(environment: [String: String]) -> DaemonEndpoint? {
        if let path = environment["HAUL_SOCKET"], !path.isEmpty { return .unix(path: path) }
        if let state = absolute("HAUL_STATE_FOLDER", environment) { return .unix(path: state + "/run/daemon.sock") }
        if let folder = absolute("XDG_RUNTIME_DIR", environment) { return .unix(path: folder + "/haul/daemon.sock") }
        return stateFolder(environment).map { .unix(path: $0 + "/run/daemon.sock") }
    }

    /// Returns the folder for persistent state, or nil.
    static func stateFolder(_ environment: [String: String]) -> String? {
        let folder = absolute("XDG_STATE_HOME", environment)
        return (folder ?? absolute("HOME", environment).map { $0 + "/.local/state" }).map { $0 + "/haul" }
    }

    /// Returns an absolute path in the environment; the specification requires that relative ones are ignored.
    private static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

import ArgumentParser
import HaulServer

/// The location of the daemon: the options needed to find a running one.
struct DaemonEndpointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Configuration file (default: ~/.config/haul/daemon.toml); it must exist.", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp("Folder for the list, token and log (default: ~/.local/state/haul).", valueName: "folder"),
        completion: .directory)
    var stateFolder: String?

    @Option(
        help: ArgumentHelp("Unix socket (default: $XDG_RUNTIME_DIR/haul/daemon.sock).", valueName: "path"),
        completion: .file())
    var socket: String?

    /// The options that were given.
    var flags: [ConfigurationKey: [String]] {
        let given: [(ConfigurationKey, String?)] = [(.stateFolder, stateFolder), (.socket, socket)]
        return given.reduce(into: [:]) { result, option in option.1.map { result[option.0] = [$0] } }
    }
}

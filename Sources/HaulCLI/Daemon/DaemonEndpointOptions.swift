import ArgumentParser
import HaulServer

/// Where the daemon is: enough to find the one that is at work.
struct DaemonEndpointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file instead of ~/.config/haul/daemon.toml; it has to be there.", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp("Keep list and token here instead of ~/.local/state/haul.", valueName: "folder"),
        completion: .directory)
    var stateFolder: String?

    @Option(
        help: ArgumentHelp("The Unix socket instead of $XDG_RUNTIME_DIR/haul/daemon.sock.", valueName: "path"),
        completion: .file())
    var socket: String?

    /// The options that were given.
    var flags: [ConfigurationKey: [String]] {
        let given: [(ConfigurationKey, String?)] = [(.stateFolder, stateFolder), (.socket, socket)]
        return given.reduce(into: [:]) { result, option in option.1.map { result[option.0] = [$0] } }
    }
}

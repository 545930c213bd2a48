/// What to write instead of an option that another command has, or a program with the same purpose.
enum CommandHint {
    static let daemonSettings: Set<String> = [
        "--ca-certificate", "--jobs", "--log-level", "--no-proxy", "--proxy",
    ]
    static let output: Set<String> = ["--log-file", "--quiet", "--verbosity"]
    static let onlyGet: Set<String> = [
        "--client-certificate", "--client-key", "--interface", "--ipv4", "--ipv6", "--load-cookies", "--metalink",
        "--netrc", "--netrc-file", "--partial-folder", "--proxy-user-file", "--stream-window",
    ]

    /// Returns the hint for an option that a command does not have; nil if there is none.
    static func line(for option: String, of command: String?) -> String? {
        switch (command, option) {
        case ("verify", "-c"), ("verify", "--check"): "\(option): write --checksums LIST"
        case ("add", _) where daemonSettings.contains(option):
            "\(option): this is a setting of the daemon: haul daemon restart \(option) VALUE"
        case ("add", _) where output.contains(option): "\(option): for the progress write --wait, or haul watch"
        case ("add", "--why"): "\(option): write haul show ID while it runs"
        case ("add", _) where onlyGet.contains(option): "\(option): only haul get has this option"
        default: nil
        }
    }
}

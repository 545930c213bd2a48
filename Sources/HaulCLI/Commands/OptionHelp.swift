import ArgumentParser
import HaulCore
import HaulOptions

/// The help texts of options that several commands have.
enum OptionHelp {
    static let totalRate = ArgumentHelp(
        "Maximum speed of all downloads together, in bytes per second: 500K, 2M, or \"22:00-06:00 unlimited, else 2M\".",
        valueName: "rate")

    static let caCertificate = ArgumentHelp(
        "Trust the certificates in this file (PEM) instead of the system's.", valueName: "file")
    static let proxy = ArgumentHelp(
        "Use this proxy; overrides the environment. Empty disables proxies.", valueName: "url")
    static let noProxy = ArgumentHelp(
        "Hosts to contact without a proxy, such as localhost,10.0.0.0/8; overrides the environment.", valueName: "list")

    static let id = ArgumentHelp("Download number, as in haul list, or a range such as 5-9.", valueName: "id")
    static let priority = table("priority")
    static let now = table("now")
    static let checksum = table("checksum")

    static let quiet: ArgumentHelp = "Show only errors."
    static let json: ArgumentHelp = "Write JSON to standard output, one object per line."
    static let showSecrets: ArgumentHelp = "Show the values in URL queries, which may be secrets (list: with --json)."

    /// The text of `--jobs`, for the commands that run downloads.
    static func jobs(standard: String? = nil) -> ArgumentHelp {
        ArgumentHelp("Number of downloads at a time\(shown(standard)).", valueName: "n")
    }

    /// The text of `--log-level`.
    static func logLevel(standard: String) -> ArgumentHelp {
        ArgumentHelp(
            "Log messages of this level and above: trace, debug, info, notice, warning, error or critical\(shown(standard)).",
            valueName: "level")
    }

    /// The text of an option of the table.
    private static func table(_ name: String) -> ArgumentHelp {
        guard let option = OptionTable.named(name) else { return "" }
        var valueName: String?
        if case .value(let name) = option.shape { valueName = name }
        return ArgumentHelp(option.help, valueName: valueName)
    }

    private static func shown(_ standard: String?) -> String { standard.map { " (default: \($0))" } ?? "" }
}

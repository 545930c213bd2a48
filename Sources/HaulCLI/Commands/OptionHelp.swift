import ArgumentParser
import HaulCore

/// The help texts of options that several commands have.
enum OptionHelp {
    static let globoff: ArgumentHelp = "Do not expand braces and brackets in URLs."
    static let directory = ArgumentHelp("Save in this folder.", valueName: "folder")
    static let inputFile = ArgumentHelp(
        "Read downloads from this list: one URL per line, its options below it (\"  out=name\"), or JSON; - is standard input.",
        valueName: "list")
    static let mirror = ArgumentHelp(
        "Another source of the same file. One URL only; may be repeated.", valueName: "url")
    static let checksum = ArgumentHelp("Checksum that the file must have. One file only.", valueName: "algorithm:hex")
    static let onConflict = ArgumentHelp(
        "If the file exists: fail, replace it, rename the new one, skip the download, or keep it if it is the same (otherwise replace it).",
        valueName: "policy")
    static let continues: ArgumentHelp =
        "Resume unfinished files of curl, wget, aria2, axel and browsers, after comparing them with the server's."
    static let findChecksum: ArgumentHelp = "Look for a checksum on the server: URL.sha256, SHA256SUMS and the like."
    static let noHeaderChecksum: ArgumentHelp = "Ignore the checksum in the server's response headers."

    static let connections = ArgumentHelp("Connections per download: 1 to 64, or auto.", valueName: "n")
    static let header = ArgumentHelp("Header to send, 'Name: value'; may be repeated.", valueName: "header")
    static let userAgent = ArgumentHelp("User-Agent to send.", valueName: "text")
    static let retries = ArgumentHelp("Give up after this many retries in a row without progress.", valueName: "n")
    static let maxWait = ArgumentHelp(
        "Maximum wait that a server may ask for (Retry-After), or unlimited.", valueName: "seconds")
    static let maxTime = ArgumentHelp("Maximum time for one run of a download, including waits.", valueName: "seconds")
    static let minSpeed = ArgumentHelp(
        "Abort and retry if the average speed over this time is lower, such as 10K:30.", valueName: "rate:seconds")
    static let totalRate = ArgumentHelp(
        "Maximum speed of all downloads together, in bytes per second: 500K, 2M, or \"22:00-06:00 unlimited, else 2M\".",
        valueName: "rate")

    static let user = ArgumentHelp("User name, sent only to the URL's own origin.", valueName: "name")
    static let passwordFile = ArgumentHelp(
        "Read the password from the first line of this file; - is standard input. The default is to ask on the terminal.",
        valueName: "file")
    static let bearerFile = ArgumentHelp("Read a bearer token from this file; - is standard input.", valueName: "file")
    static let caCertificate = ArgumentHelp(
        "Trust the certificates in this file (PEM) instead of the system's.", valueName: "file")
    static let insecure: ArgumentHelp = "Accept any server certificate."
    static let proxy = ArgumentHelp(
        "Use this proxy; overrides the environment. Empty disables proxies.", valueName: "url")
    static let noProxy = ArgumentHelp(
        "Hosts to contact without a proxy, such as localhost,10.0.0.0/8; overrides the environment.", valueName: "list")

    static let id = ArgumentHelp("Download number, as in haul list, or a range such as 5-9.", valueName: "id")
    static let priority = ArgumentHelp("Priority from -1000 to 1000; higher ones start first.", valueName: "n")
    static let now: ArgumentHelp = "Start at once, even beyond the limits."

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

    private static func shown(_ standard: String?) -> String { standard.map { " (default: \($0))" } ?? "" }
}

import ArgumentParser
import HaulCore
import HaulOptions

/// The help texts of options that several commands have.
enum OptionHelp {
    static let totalRate = setting("limit-rate")
    static let caCertificate = setting("ca-certificate")
    static let proxy = setting("proxy")
    static let noProxy = setting("no-proxy")

    static let id = ArgumentHelp("Download number, as in haul list, or a range such as 5-9.", valueName: "id")
    static let priority = setting("priority")
    static let now = setting("now")
    static let checksum = setting("checksum")

    static let quiet = setting("quiet")
    static let json = setting("json")
    static let showSecrets: ArgumentHelp = "Show the values in URL queries, which may be secrets (list: with --json)."

    /// The text of `--jobs`, for the commands that run downloads.
    static func jobs(standard: String) -> ArgumentHelp { setting("jobs", standard: standard) }

    /// The text of `--log-level`.
    static func logLevel(standard: String) -> ArgumentHelp { setting("log-level", standard: standard) }

    /// The text of an option of `haul get` or `haul add`, with another default if one is given.
    private static func setting(_ name: String, standard: String? = nil) -> ArgumentHelp {
        guard let setting = CommandSetting.named(name) else { return "" }
        return ArgumentHelp(setting.help(standard: standard ?? setting.standard), valueName: setting.shape.valueName)
    }
}

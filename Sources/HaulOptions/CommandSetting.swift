/// A long option of `haul get` or `haul add`, also as a key of the configuration file and a variable of the environment.
package struct CommandSetting: Hashable, Sendable {
    /// The name of the option, without dashes.
    package let name: String
    /// The letter of the option.
    package var letter: Character?
    /// The kind of value.
    package let shape: DownloadOption.Shape
    /// The help text, without the default.
    package let text: String
    /// What the value is completed with in a shell.
    package var completion = DownloadOption.Completion.nothing
    /// The section of an option that concerns more than a property of a download; nil for the rows of `OptionTable`.
    package var section: Section?
    /// The default that the help shows.
    package var standard: String?

    /// The sections of the options that are not in `OptionTable`, each of which is used by several commands or concerns several downloads.
    package enum Section: Sendable, CaseIterable {
        /// What is downloaded, and where it goes.
        case source
        /// How several downloads, and streams, are transferred.
        case transfer
        /// The files that contain credentials.
        ///
        /// No option takes a password: arguments can be read by everybody on the machine (proc(5)).
        case credentials
        /// The ways to the servers.
        case network
        /// What is shown.
        case output
    }

    /// The help text.
    package var help: String { help(standard: standard) }

    /// Returns the help text with another default.
    package func help(standard: String?) -> String {
        standard.map { "\(text.hasSuffix(".") ? text.dropLast() : text[...]) (default: \($0))." } ?? text
    }

    /// True if the value is a path.
    package var isPath: Bool { [.file, .folder].contains(completion) }

    /// True if the option may be repeated.
    package var isRepeated: Bool { if case .values = shape { true } else { false } }

    /// True if several values are an error; of other options with one value, the last one counts.
    package var isUnique: Bool { name == "checksum" }

    /// True if the command line may join the letter and the value: `-c8`.
    package var joinsLetter: Bool { ["connections", "jobs"].contains(name) }

    /// True if `haul add` has the option.
    package var isAdded: Bool {
        [.source, .credentials].contains(section) || section == nil || name == "json"
    }

    /// The variable of the environment; nil if hook commands get one of that name with another meaning.
    package var variable: String? {
        let variable = "HAUL_" + name.uppercased().replacing("-", with: "_")
        return ["HAUL_KEY", "HAUL_GROUP"].contains(variable) ? nil : variable
    }

    /// All settings.
    package static let all: [CommandSetting] =
        declared
        + OptionTable.all.filter { $0.scope.contains(.get) || $0.scope.contains(.add) }.map(CommandSetting.init)
        .filter { row in !declared.contains { $0.name == row.name } }

    /// Returns the options of a section.
    package static func rows(_ section: Section) -> [CommandSetting] { declared.filter { $0.section == section } }

    /// Returns the options of a group of `OptionTable`.
    package static func rows(_ group: DownloadOption.Group, _ scope: DownloadOption.Scope) -> [CommandSetting] {
        OptionTable.rows(group, scope).map(CommandSetting.init)
    }

    /// Returns the setting with a name; nil if there is none.
    package static func named(_ name: String) -> CommandSetting? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The options of which at most one can be used: one of a higher place overrides others of a lower one.
    private static let exclusive: [Set<String>] = [
        ["quiet", "verbosity"], ["interface", "ipv4", "ipv6"], ["compressed", "raw"],
        ["continue", "no-resume"], ["continue", "range"],
        ["user", "bearer-file"], ["password-file", "bearer-file"],
    ]

    /// Returns the options that one of the given ones excludes, without the given ones.
    package static func excluded(by given: Set<String>) -> Set<String> {
        exclusive.reduce(into: Set<String>()) { names, group in
            if !group.isDisjoint(with: given) { names.formUnion(group) }
        }.subtracting(given)
    }
}

extension CommandSetting {
    /// Creates the setting of a row of `OptionTable`.
    init(_ option: DownloadOption) {
        self.init(
            name: option.name, letter: option.letter, shape: option.shape, text: option.help,
            completion: option.completion)
    }

    private static let declared: [CommandSetting] =
        section(
            .source,
            [
                flag("globoff", "g", "Do not expand braces and brackets in URLs."),
                value(
                    "output", "o", "file",
                    "Save as this file; with haul get, - is standard output, and a named pipe is written to. One URL only.",
                    .file),
                value("directory", "d", "folder", "Save in this folder.", .folder),
                values(
                    "input-file", "i", "list",
                    "Read downloads from this list: one URL per line, its options below it (\"  out=name\"), or JSON; - is standard input.",
                    .file),
                values("mirror", nil, "url", "Another source of the same file. One URL only; may be repeated."),
            ])
        + section(
            .transfer,
            [
                values(
                    "metalink", nil, "file|url",
                    "Download all files of this Metalink, a file or a URL; may be repeated.", .file),
                value("jobs", "j", "n", "Number of downloads at a time.", standard: "3"),
                value(
                    "limit-rate", nil, "rate",
                    "Maximum speed of all downloads together, in bytes per second: 500K, 2M, or \"22:00-06:00 unlimited, else 2M\"."
                ),
                value(
                    "stream-window", nil, "size",
                    "With --output -, download at most this far ahead of the reader: 1M to 4G."),
                flag("wait-for-network", nil, "Wait for the network instead of failing without it."),
            ])
        + section(
            .credentials,
            [
                value(
                    "password-file", nil, "file",
                    "Read the password from the first line of this file; - is standard input. The default is to ask on the terminal.",
                    .file),
                value(
                    "bearer-file", nil, "file", "Read a bearer token from this file; - is standard input.", .file),
            ])
        + section(
            .network,
            [
                flag("netrc", nil, "Look up credentials in ~/.netrc, or in the file named by NETRC."),
                value(
                    "ca-certificate", nil, "file",
                    "Trust the certificates in this file (PEM) instead of the system's.", .file),
                value("proxy", nil, "url", "Use this proxy; overrides the environment. Empty disables proxies."),
                value(
                    "no-proxy", nil, "list",
                    "Hosts to contact without a proxy, such as localhost,10.0.0.0/8; overrides the environment."),
                value(
                    "proxy-user-file", nil, "file",
                    "Read NAME:PASSWORD for the proxy from this file; - is standard input.", .file),
                value("interface", nil, "name", "Connect from this network interface or local address."),
                flag("ipv4", "4", "Use IPv4 only."), flag("ipv6", "6", "Use IPv6 only."),
            ])
        + section(
            .output,
            [
                flag("quiet", "q", "Show only errors."),
                value(
                    "verbosity", nil, "level",
                    "Output: normal, line (one line per file, when it ends) or quiet (only errors).",
                    .words(["quiet", "line", "normal"])),
                value("log-file", nil, "file", "Append the output to this file, with timestamps.", .file),
                flag("json", nil, "Write JSON to standard output, one object per line."),
                CommandSetting(
                    name: "why", shape: .toggle,
                    text: "At the end, report what limited the speed; --no-why writes no record for `haul why`."),
                value(
                    "log-level", nil, "level",
                    "Log messages of this level and above: trace, debug, info, notice, warning, error or critical.",
                    .words(["trace", "debug", "info", "notice", "warning", "error", "critical"]), standard: "warning"),
            ])

    private static func section(_ section: Section, _ rows: [CommandSetting]) -> [CommandSetting] {
        rows.map { row in
            var row = row
            row.section = section
            return row
        }
    }

    private static func flag(_ name: String, _ letter: Character?, _ text: String) -> CommandSetting {
        CommandSetting(name: name, letter: letter, shape: .flag, text: text)
    }

    private static func value(
        _ name: String, _ letter: Character?, _ valueName: String, _ text: String,
        _ completion: DownloadOption.Completion = .nothing, standard: String? = nil
    ) -> CommandSetting {
        CommandSetting(
            name: name, letter: letter, shape: .value(valueName), text: text, completion: completion, standard: standard
        )
    }

    private static func values(
        _ name: String, _ letter: Character?, _ valueName: String, _ text: String,
        _ completion: DownloadOption.Completion = .nothing
    ) -> CommandSetting {
        CommandSetting(name: name, letter: letter, shape: .values(valueName), text: text, completion: completion)
    }
}

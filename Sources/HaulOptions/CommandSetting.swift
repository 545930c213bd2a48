/// A long option of `haul get` or `haul add` as a key of the configuration file and a variable of the environment.
package struct CommandSetting: Hashable, Sendable {
    /// The name of the option, without dashes.
    package let name: String
    /// The letter of the option.
    package let letter: Character?
    /// The kind of value.
    package let shape: DownloadOption.Shape
    /// True if the value is a path.
    package let isPath: Bool
    /// True if the option is declared by the command instead of in `OptionTable`.
    package let isDeclared: Bool

    /// True if `haul add` declares the option.
    package var isAdded: Bool {
        ["globoff", "output", "directory", "input-file", "mirror", "password-file", "bearer-file", "json"].contains(
            name)
    }

    /// The variable of the environment; nil if hook commands get one of that name with another meaning.
    package var variable: String? {
        let variable = "HAUL_" + name.uppercased().replacing("-", with: "_")
        return ["HAUL_KEY", "HAUL_GROUP"].contains(variable) ? nil : variable
    }

    /// All settings.
    package static let all: [CommandSetting] =
        declared
        + OptionTable.all.filter { $0.scope.contains(.get) || $0.scope.contains(.add) }.map { option in
            CommandSetting(
                name: option.name, letter: option.letter, shape: option.shape,
                isPath: [.file, .folder].contains(option.completion), isDeclared: false)
        }.filter { row in !declared.contains { $0.name == row.name } }

    /// Returns the setting with a name; nil if there is none.
    package static func named(_ name: String) -> CommandSetting? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The options of which at most one can be used: one on the command line overrides others elsewhere.
    package static let exclusive: [Set<String>] = [
        ["quiet", "verbosity"], ["interface", "ipv4", "ipv6"], ["compressed", "raw"],
        ["continue", "no-resume", "range"],
        ["user", "bearer-file"],
    ]

    // Options that do not concern a single property of a download.
    private static let declared: [CommandSetting] =
        [
            flag("globoff", "g"), path("output", "o"), path("directory", "d"), list("input-file", "i"),
            list("mirror", nil), list("metalink", nil), value("jobs", "j"), value("limit-rate"), value("stream-window"),
            path("password-file"), path("bearer-file"), flag("netrc"), path("ca-certificate"), value("proxy"),
            value("no-proxy"), path("proxy-user-file"), value("interface"), flag("ipv4", "4"), flag("ipv6", "6"),
            flag("quiet", "q"), value("verbosity"), path("log-file"), flag("json"), flag("why"), value("log-level"),
        ]

    private static func flag(_ name: String, _ letter: Character? = nil) -> CommandSetting {
        CommandSetting(name: name, letter: letter, shape: .flag, isPath: false, isDeclared: true)
    }

    private static func value(_ name: String, _ letter: Character? = nil) -> CommandSetting {
        CommandSetting(name: name, letter: letter, shape: .value(name), isPath: false, isDeclared: true)
    }

    private static func path(_ name: String, _ letter: Character? = nil) -> CommandSetting {
        CommandSetting(name: name, letter: letter, shape: .value(name), isPath: true, isDeclared: true)
    }

    private static func list(_ name: String, _ letter: Character?) -> CommandSetting {
        CommandSetting(name: name, letter: letter, shape: .values(name), isPath: false, isDeclared: true)
    }
}

import ArgumentParser
import HaulCore
import HaulOptions
import HaulServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The options of the configuration file and the environment.
struct CommandSettings: Hashable, Sendable {
    /// The options of the file outside of sections.
    private(set) var file = OptionLayer()
    /// The options of the environment.
    private(set) var environment = OptionLayer()
    private var hostNames: [String] = []
    private var hostLayers: [OptionLayer] = []

    /// Creates settings without options.
    init() {}

    /// The sections for hosts.
    var hosts: [(pattern: String, layer: OptionLayer)] { zip(hostNames, hostLayers).map { ($0, $1) } }

    /// Where the values of the options of sections come from, by `--NAME`.
    var places: [String: String] {
        var all = file.overridden(by: environment)
        all.merge(environment)
        return all.values.reduce(into: [:]) { places, entry in places["--\(entry.key)"] = entry.value.last?.place }
    }

    /// Reads the variables `HAUL_…`; in the environment, 1 and 0 are customary for `true` and `false`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for a flag that is neither.
    mutating func read(environment variables: [String: String]) throws(DownloadError) {
        guard EnvironmentNames.areUsed(in: variables) else { return }
        for setting in CommandSetting.all {
            guard let name = setting.variable, var text = variables[name] else { continue }
            if setting.shape.isTruth { text = String(try Self.flag(name, in: variables)) }
            environment.add(.init(text: Self.expanded(text, setting, variables), place: name), to: setting)
        }
    }

    /// Reads a configuration file.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the file and the line.
    mutating func read(file text: String, path: String, environment: [String: String]) throws(DownloadError) {
        do throws(DownloadError) {
            let reader = try TOMLReader(text, allowsSections: true)
            for (name, line) in reader.lines.sorted(by: { $0.value < $1.value }) {
                guard let value = reader.root[name] else { continue }
                try Self.read(name, value, line, path, environment, nil, into: &file)
            }
            if let (table, lines) = reader.tableLines.min(by: { $0.value[0] < $1.value[0] }) {
                throw DownloadError(.invalidRequest, "line \(lines[0]): unknown table [[\(table)]]")
            }
            for section in reader.sections {
                guard section.path.count == 2, section.path[0] == "host" else {
                    throw DownloadError(
                        .invalidRequest, "line \(section.line): expected a section [host.\"example.org\"]")
                }
                if let host = Self.hostWithoutPort(section.path[1]) {
                    throw DownloadError(
                        .invalidRequest,
                        "line \(section.line): a section is for all ports of a host: write [host.\"\(host)\"]")
                }
                var layer = OptionLayer()
                for (name, line) in section.lines.sorted(by: { $0.value < $1.value }) {
                    guard let value = section.values[name] else { continue }
                    try Self.read(name, value, line, path, environment, .host, into: &layer)
                }
                if layer.contains("user"), !layer.contains("password-file") {
                    throw DownloadError(.invalidRequest, "line \(section.line): user requires password-file")
                }
                hostNames.append(section.path[1])
                hostLayers.append(layer)
            }
        } catch {
            throw DownloadError(error.code, "\(path), \(error.message)", cause: error.cause)
        }
    }

    /// Returns the host of a name that has a port, such as `example.org:8080` or `[::1]:80`; nil if it has none.
    private static func hostWithoutPort(_ name: String) -> String? {
        guard let colon = name.lastIndex(of: ":") else { return nil }
        let (host, port) = (name[..<colon], name[colon...].dropFirst())
        guard !port.isEmpty, port.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        // The other colons of an IPv6 address are in brackets.
        guard !host.isEmpty, host.hasSuffix("]") || !host.contains(":") else { return nil }
        return String(host)
    }

    private static func read(
        _ name: String, _ value: TOMLReader.Value, _ line: Int, _ path: String, _ environment: [String: String],
        _ scope: DownloadOption.Scope?, into layer: inout OptionLayer
    ) throws(DownloadError) {
        let row = OptionTable.named(name)
        let known = scope == nil || row?.scope.contains(.host) == true
        guard let setting = CommandSetting.named(name), known else {
            let names = CommandSetting.all.map(\.name)
                .filter { scope == nil || OptionTable.named($0)?.scope.contains(.host) == true }
            guard CommandSetting.named(name) == nil else {
                throw DownloadError(.invalidRequest, "line \(line): \(name) can't be set for a host")
            }
            let advice = NearestName.find(name, in: names).map { "did you mean \($0)?" } ?? "see haul get --help"
            throw DownloadError(
                .invalidRequest, "line \(line): unknown option \"\(URLRedaction.quoted(name, width: 40))\": \(advice)")
        }
        for text in try texts(value, setting, line) {
            try check(text, setting, "line \(line): \(name)")
            let expanded = expanded(text, setting, environment)
            if let row, scope == .host || setting.section == nil {
                // Bad values are found here, whatever is downloaded.
                var spec = DownloadSpec(url: "", destination: .folder(path: "."))
                do throws(DownloadError) {
                    try row.read(expanded, &spec)
                } catch {
                    throw DownloadError(error.code, "line \(line): \(name): \(error.message)", cause: error.cause)
                }
            }
            layer.add(.init(text: expanded, place: "\(path), line \(line): \(name)"), to: setting)
        }
    }

    private static func texts(
        _ value: TOMLReader.Value, _ setting: CommandSetting, _ line: Int
    ) throws(DownloadError) -> [String] {
        switch value {
        case .text(let text): return [text]
        case .whole(let number): return [String(number)]
        case .number(let number): return [String(number)]
        case .flag(let flag): return [String(flag)]
        case .list(let items):
            guard setting.isRepeated else {
                throw DownloadError(.invalidRequest, "line \(line): \(setting.name): expected one value, not a list")
            }
            var all: [String] = []
            for item in items { all += try texts(item, setting, line) }
            return all
        }
    }

    private static func check(_ text: String, _ setting: CommandSetting, _ place: String) throws(DownloadError) {
        if setting.shape.isTruth { _ = try truth(text, place) }
    }

    private static func truth(_ text: String, _ place: String) throws(DownloadError) -> Bool {
        guard let truth = Bool(text) else {
            throw DownloadError(
                .invalidRequest, "\(place): expected true or false, found \"\(URLRedaction.quoted(text, width: 40))\"")
        }
        return truth
    }

    /// Returns the value of a variable that is a flag: `true` or 1, `false` or 0; false if it is not set.
    private static func flag(_ name: String, in environment: [String: String]) throws(DownloadError) -> Bool {
        switch environment[name] {
        case nil, "0": false
        case "1": true
        case .some(let text): try truth(text, name)
        }
    }

    /// A path that begins with `~/` is below the home folder: no shell expands it.
    private static func expanded(_ text: String, _ setting: CommandSetting, _ environment: [String: String]) -> String {
        guard setting.isPath, text.hasPrefix("~/"), let home = environment["HOME"] else { return text }
        return home + text.dropFirst()
    }
}

extension CommandSettings {
    /// Returns the arguments for the options of sections that have a value here and none on the command line.
    func arguments(beside arguments: [String], where isKnown: (CommandSetting) -> Bool) -> [String] {
        guard !file.values.isEmpty || !environment.values.isEmpty else { return [] }
        let given = arguments.prefix { $0 != "--" }
        func isGiven(_ setting: CommandSetting) -> Bool {
            given.contains { argument in
                if argument.hasPrefix("--") {
                    let name = argument.dropFirst(2).prefix { $0 != "=" }
                    return name == setting.name || name == "no-\(setting.name)" && setting.shape == .toggle
                }
                return setting.letter.map { argument.hasPrefix("-\($0)") } ?? false
            }
        }
        let settings = CommandSetting.all.filter { $0.section != nil && isKnown($0) }
        let named = Set(CommandSetting.all.filter(isGiven).map(\.name))
        let closed = named.union(CommandSetting.excluded(by: named))
        var values = file.overridden(by: environment)
        values.merge(environment)
        return settings.filter { !closed.contains($0.name) }.flatMap { setting -> [String] in
            (values.values[setting.name] ?? []).flatMap { value -> [String] in
                guard setting.shape.isTruth else { return ["--\(setting.name)=\(value.text)"] }
                if value.text == "true" { return ["--\(setting.name)"] }
                return setting.shape == .toggle ? ["--no-\(setting.name)"] : []
            }
        }
    }

    /// Reads the file and the environment for a command line.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for an unknown option or an invalid value, `fileFailed` if
    ///   a file that was named can't be read.
    static func load(arguments: [String], environment: [String: String]) throws(DownloadError) -> CommandSettings {
        var settings = CommandSettings()
        try settings.read(environment: environment)
        let options = arguments.prefix { $0 != "--" }
        let isSwitchedOff = environment["HAUL_NO_CONFIG"] == "" ? false : try flag("HAUL_NO_CONFIG", in: environment)
        if options.contains("--no-config") || isSwitchedOff { return settings }
        var named: String?
        for (index, argument) in options.enumerated() {
            if argument == "--config" { named = options.dropFirst(index + 1).first }
            if argument.hasPrefix("--config=") { named = String(argument.dropFirst("--config=".count)) }
        }
        if named == nil, let variable = environment["HAUL_CONFIG"] {
            if variable.isEmpty { return settings }
            named = variable
        }
        guard let path = named ?? defaultPath(environment) else { return settings }
        guard named != nil || FileManager.default.fileExists(atPath: path) else { return settings }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DownloadError(.invalidRequest, "can't read the configuration file \(path)")
        }
        try settings.read(file: String(decoding: data, as: UTF8.self), path: path, environment: environment)
        return settings
    }

    /// The path of the user's configuration file.
    static func defaultPath(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/haul/config.toml" }
        return environment["HOME"].map { $0 + "/.config/haul/config.toml" }
    }
}

/// A command that uses the configuration file and the environment.
protocol ConfiguredCommand: AsyncParsableCommand {
    /// The options of the file and the environment.
    var settings: CommandSettings { get set }
}

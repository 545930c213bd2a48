import Configuration
package import HaulCore
import TOMLKit

/// What stands in a configuration file (TOML 1.0), as texts: their meaning is the same as that of flags and variables.
package struct ConfigurationFile: Sendable {
    /// The values by key; lists keep their items apart.
    package var values: [String: [String]] = [:]
    /// The keys whose value is a list.
    package var lists: Set<String> = []
    /// The programs to run.
    package var hooks: [HookEntry] = []

    /// Makes an empty one.
    package init() {}

    /// Reads a text.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the place.
    package init(parsing text: String) throws(DownloadError) {
        do {
            let table = try TOMLTable(string: text)
            for key in table.keys.sorted() { try read(key, table) }
        } catch let error as DownloadError {
            throw error
        } catch let error as TOMLParseError {
            throw DownloadError(
                .invalidRequest, "line \(error.source.begin.line) is no TOML", cause: "\(error.description)")
        } catch {
            throw DownloadError(.invalidRequest, "it is no TOML", cause: "\(error)")
        }
    }

    private mutating func read(_ key: String, _ table: TOMLTable) throws {
        guard key != "hooks" else { return try readHooks(table) }
        guard let known = ConfigurationKey(rawValue: key) else {
            let names = ConfigurationKey.allCases.map(\.rawValue) + ["hooks"]
            throw DownloadError(
                .invalidRequest,
                "\"\(TerminalText.fitted(key, width: 40))\" is no setting: there are \(names.joined(separator: ", "))")
        }
        if known.isList { lists.insert(key) }
        if let array = table[key]?.array {
            guard known.isList else { throw DownloadError(.invalidRequest, "\(key) has one value, and is no list") }
            values[key] = try array.map { item in try Self.text(item, key) }
        } else if let value = table[key] {
            values[key] = [try Self.text(value, key)]
        }
    }

    private mutating func readHooks(_ table: TOMLTable) throws {
        guard let array = table["hooks"]?.array else {
            throw DownloadError(.invalidRequest, "hooks is a list of tables: write each under [[hooks]]")
        }
        for item in array {
            guard let hook = item.table else {
                throw DownloadError(.invalidRequest, "hooks is a list of tables: write each under [[hooks]]")
            }
            hooks.append(try HookEntry(hook))
        }
    }

    private static func text(_ value: any TOMLValueConvertible, _ key: String) throws -> String {
        if let text = value.string { return text }
        if let flag = value.bool { return String(flag) }
        if let number = value.int { return String(number) }
        if let number = value.double { return String(number) }
        throw DownloadError(.invalidRequest, "\(key) should be a text, a number, true or false, or a list of these")
    }

    /// The values for swift-configuration.
    var provider: InMemoryProvider {
        var content: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, texts) in values {
            let value: ConfigContent = lists.contains(key) ? .stringArray(texts) : .string(texts[0])
            content[AbsoluteConfigKey([key])] = ConfigValue(value, isSecret: false)
        }
        return InMemoryProvider(name: "file", values: content)
    }
}

/// A table of `[[hooks]]`.
package struct HookEntry: Hashable, Sendable {
    /// On what: the names of `HookEvent`.
    package var on: [String]
    /// The program and its arguments.
    package var command: [String]
    /// How long it may run, in seconds.
    package var timeout: Double

    init(_ table: TOMLTable) throws {
        if let unknown = table.keys.sorted().first(where: { !["on", "command", "timeout"].contains($0) }) {
            throw DownloadError(.invalidRequest, "\"\(unknown)\" is no field of a hook: there are on, command, timeout")
        }
        guard let on = table["on"]?.array?.map(\.string), let command = table["command"]?.array?.map(\.string),
            !on.contains(nil), !command.contains(nil)
        else {
            throw DownloadError(
                .invalidRequest, "a hook is written as on = [\"completed\"] and command = [\"PROGRAM\", \"ARGUMENT\"]")
        }
        self.on = on.compactMap(\.self)
        self.command = command.compactMap(\.self)
        timeout = table["timeout"]?.double ?? table["timeout"]?.int.map(Double.init) ?? 60
    }
}

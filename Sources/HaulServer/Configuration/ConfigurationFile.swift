import Configuration
package import HaulCore

/// The content of a configuration file (TOML 1.0), as texts: they are interpreted like those of options and variables.
package struct ConfigurationFile: Sendable {
    /// The values by key.
    package var values: [ConfigurationKey: [String]] = [:]
    /// The hooks.
    package var hooks: [HookEntry] = []
    /// The hooks of which a part can't be read; that part is empty.
    private(set) var partialHooks: [HookEntry] = []
    /// The settings that are in the file, but have no value because of an error.
    private(set) var unread: Set<ConfigurationKey> = []
    /// True if any setting may be in the part of the file that can't be read.
    private(set) var isTruncated = false
    /// The line number of each value.
    private(set) var lines: [ConfigurationKey: Int] = [:]
    /// The path of the file, for messages.
    package var path = ""

    /// The errors of the text, each with its line.
    private(set) var problems: [DownloadError] = []

    /// The errors of the text, each with the file and the line.
    package var locatedProblems: [DownloadError] {
        problems.map { DownloadError($0.code, path.isEmpty ? $0.message : "\(path), \($0.message)", cause: $0.cause) }
    }

    /// Makes an empty configuration.
    package init() {}

    /// Parses a text.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the line or the setting.
    package init(parsing text: String) throws(DownloadError) {
        self.init(collecting: text)
        if let first = problems.first { throw first }
    }

    /// Parses a text as far as possible; its errors are in `locatedProblems`.
    package init(collecting text: String) {
        let reader = TOMLReader(collecting: text)
        problems = reader.problems
        isTruncated = reader.isTruncated
        unread = Set(reader.unreadKeys.compactMap(Self.meant))
        for (name, line) in reader.lines.sorted(by: { $0.value < $1.value }) {
            guard let value = reader.root[name] else { continue }
            do throws(DownloadError) {
                try read(name, value)
            } catch {
                add(error, at: line)
                if let key = Self.meant(name) { unread.insert(key) }
            }
            if let key = ConfigurationKey(rawValue: name) { lines[key] = line }
        }
        for (unknown, lines) in reader.tableLines.sorted(by: { $0.value[0] < $1.value[0] }) where unknown != "hooks" {
            add(Self.unknown(unknown), at: lines[0])
        }
        for (table, line) in zip(reader.tables["hooks"] ?? [], reader.tableLines["hooks"] ?? []) {
            let hook = HookEntry(table, line: line)
            for error in hook.problems { add(error, at: line) }
            if hook.problems.isEmpty { hooks.append(hook) } else { partialHooks.append(hook) }
        }
    }

    /// Returns the setting that a name stands for, or is probably meant to.
    private static func meant(_ name: String) -> ConfigurationKey? {
        let nearest = NearestName.find(name, in: ConfigurationKey.allCases.map(\.rawValue))
        return ConfigurationKey(rawValue: name) ?? nearest.flatMap(ConfigurationKey.init)
    }

    /// Returns true if the file has no error that may be the reason why one of some settings has no value.
    func isKnown(_ keys: ConfigurationKey...) -> Bool { !isTruncated && unread.isDisjoint(with: keys) }

    /// Keeps an error of a line.
    private mutating func add(_ error: DownloadError, at line: Int) {
        problems.append(DownloadError(error.code, "line \(line): \(error.message)", cause: error.cause))
    }

    /// Replaces a leading `~/` of paths by the home folder.
    package mutating func expandHome(_ home: String?) {
        for key in ConfigurationKey.allCases where key.isPath {
            values[key] = values[key]?.map { Self.expanded($0, home) }
        }
    }

    /// Returns a path with the home folder in place of `~/` at its beginning: no shell expands it.
    static func expanded(_ path: String, _ home: String?) -> String {
        guard path.hasPrefix("~/"), let home else { return path }
        return home + path.dropFirst()
    }

    private mutating func read(_ name: String, _ value: TOMLReader.Value) throws(DownloadError) {
        guard name != "hooks" else {
            throw DownloadError(.invalidRequest, "expected hooks as tables, each under [[hooks]]")
        }
        guard let key = ConfigurationKey(rawValue: name) else { throw Self.unknown(name) }
        guard case .list(let items) = value else {
            values[key] = [try Self.text(value, name)]
            return
        }
        guard key.isList else { throw DownloadError(.invalidRequest, "\(name): expected one value, not a list") }
        values[key] = try items.map { item throws(DownloadError) in try Self.text(item, name) }
    }

    private static func unknown(_ name: String) -> DownloadError {
        let names = ConfigurationKey.allCases.map(\.rawValue) + ["hooks"]
        let nearest = NearestName.find(name, in: names)
        return DownloadError(
            .invalidRequest,
            "unknown setting \"\(URLRedaction.quoted(name, width: 40))\": "
                + (nearest.map { "did you mean \($0)?" } ?? "expected one of \(names.joined(separator: ", "))"))
    }

    private static func text(_ value: TOMLReader.Value, _ name: String) throws(DownloadError) -> String {
        switch value {
        case .text(let text): return text
        case .whole(let number): return String(number)
        case .number(let number): return String(number)
        case .flag(let flag): return String(flag)
        case .list:
            throw DownloadError(
                .invalidRequest, "\(name): expected a string, a number, true, false, or a list of these")
        }
    }

    /// The values for swift-configuration.
    var provider: InMemoryProvider { InMemoryProvider(name: "file", values: Self.content(values)) }

    /// Returns values in the form of swift-configuration.
    static func content(_ values: [ConfigurationKey: [String]]) -> [AbsoluteConfigKey: ConfigValue] {
        var content: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, texts) in values {
            let value: ConfigContent = key.isList ? .stringArray(texts) : .string(texts.last ?? "")
            content[AbsoluteConfigKey([key.rawValue])] = ConfigValue(value, isSecret: false)
        }
        return content
    }
}

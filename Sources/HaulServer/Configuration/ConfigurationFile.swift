import Configuration
package import HaulCore

/// The content of a configuration file (TOML 1.0), as texts: they are interpreted like those of options and variables.
package struct ConfigurationFile: Sendable {
    /// The values by key.
    package var values: [ConfigurationKey: [String]] = [:]
    /// The hooks.
    package var hooks: [HookEntry] = []
    /// The line number of each value.
    private(set) var lines: [ConfigurationKey: Int] = [:]
    /// The path of the file, for messages.
    package var path = ""

    /// Makes an empty configuration.
    package init() {}

    /// Parses a text.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the line or the setting.
    package init(parsing text: String) throws(DownloadError) {
        let reader = try TOMLReader(text)
        for (name, line) in reader.lines.sorted(by: { $0.value < $1.value }) {
            guard let value = reader.root[name] else { continue }
            try Self.at(line) { () throws(DownloadError) in try read(name, value) }
            if let key = ConfigurationKey(rawValue: name) { lines[key] = line }
        }
        if let (unknown, lines) = reader.tableLines.filter({ $0.key != "hooks" }).min(by: { $0.value[0] < $1.value[0] })
        {
            try Self.at(lines[0]) { () throws(DownloadError) in throw Self.unknown(unknown) }
        }
        for (table, line) in zip(reader.tables["hooks"] ?? [], reader.tableLines["hooks"] ?? []) {
            try Self.at(line) { () throws(DownloadError) in
                var hook = try HookEntry(table)
                hook.line = line
                hooks.append(hook)
            }
        }
    }

    /// Runs `body` and adds the line number to its errors.
    private static func at(_ line: Int, _ body: () throws(DownloadError) -> Void) throws(DownloadError) {
        do throws(DownloadError) {
            try body()
        } catch {
            throw DownloadError(error.code, "line \(line): \(error.message)", cause: error.cause)
        }
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

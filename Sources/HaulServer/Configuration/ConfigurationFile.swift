import Configuration
package import HaulCore

/// What stands in a configuration file (TOML 1.0), as texts: their meaning is the same as that of flags and variables.
package struct ConfigurationFile: Sendable {
    /// The values by key.
    package var values: [ConfigurationKey: [String]] = [:]
    /// The programs to run.
    package var hooks: [HookEntry] = []

    /// Makes an empty one.
    package init() {}

    /// Reads a text.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the line or the setting.
    package init(parsing text: String) throws(DownloadError) {
        let reader = try TOMLReader(text)
        for (name, value) in reader.root.sorted(by: { $0.key < $1.key }) { try read(name, value) }
        if let unknown = reader.tables.keys.sorted().first(where: { $0 != "hooks" }) { throw Self.unknown(unknown) }
        for table in reader.tables["hooks"] ?? [] { hooks.append(try HookEntry(table)) }
    }

    private mutating func read(_ name: String, _ value: TOMLReader.Value) throws(DownloadError) {
        guard name != "hooks" else {
            throw DownloadError(.invalidRequest, "hooks is a list of tables: write each under [[hooks]]")
        }
        guard let key = ConfigurationKey(rawValue: name) else { throw Self.unknown(name) }
        guard case .list(let items) = value else {
            values[key] = [try Self.text(value, name)]
            return
        }
        guard key.isList else { throw DownloadError(.invalidRequest, "\(name) has one value, and is no list") }
        values[key] = try items.map { item throws(DownloadError) in try Self.text(item, name) }
    }

    private static func unknown(_ name: String) -> DownloadError {
        let names = ConfigurationKey.allCases.map(\.rawValue) + ["hooks"]
        let nearest = NearestName.find(name, in: names).map { "did you mean \($0)? T" } ?? "t"
        return DownloadError(
            .invalidRequest,
            "\"\(URLRedaction.quoted(name, width: 40))\" is no setting: \(nearest)here are \(names.joined(separator: ", "))"
        )
    }

    private static func text(_ value: TOMLReader.Value, _ name: String) throws(DownloadError) -> String {
        switch value {
        case .text(let text): return text
        case .whole(let number): return String(number)
        case .number(let number): return String(number)
        case .flag(let flag): return String(flag)
        case .list:
            throw DownloadError(
                .invalidRequest, "\(name) should be a text, a number, true or false, or a list of these")
        }
    }

    /// The values for swift-configuration.
    var provider: InMemoryProvider { InMemoryProvider(name: "file", values: Self.content(values)) }

    /// Values as swift-configuration has them.
    static func content(_ values: [ConfigurationKey: [String]]) -> [AbsoluteConfigKey: ConfigValue] {
        var content: [AbsoluteConfigKey: ConfigValue] = [:]
        for (key, texts) in values {
            let value: ConfigContent = key.isList ? .stringArray(texts) : .string(texts.last ?? "")
            content[AbsoluteConfigKey([key.rawValue])] = ConfigValue(value, isSecret: false)
        }
        return content
    }
}

import HaulCore
import HaulOptions

/// The values of options from one source: the command line, the environment, the configuration file, or a section of it.
struct OptionLayer: Hashable, Sendable {
    /// A value, and where it comes from; nil for the command line.
    struct Text: Hashable, Sendable {
        let text: String
        var place: String?
    }

    /// The values by the name of the option.
    private(set) var values: [String: [Text]] = [:]

    /// Creates a layer without values.
    init() {}

    /// Creates the layer of the command line.
    init(flags: [String: [String]]...) {
        for (name, texts) in flags.joined() { values[name] = texts.map { Text(text: $0) } }
    }

    /// Adds a value; one of an option that is not repeated replaces the present one.
    mutating func add(_ value: Text, to setting: CommandSetting) {
        if setting.isRepeated {
            values[setting.name, default: []].append(value)
        } else {
            values[setting.name] = [value]
        }
    }

    /// Returns true if an option has a value.
    func contains(_ name: String) -> Bool { values[name] != nil }

    /// Returns the values of an option.
    func texts(_ name: String) -> [String] { values[name]?.map(\.text) ?? [] }

    /// Returns the last value of an option.
    func text(_ name: String) -> String? { values[name]?.last?.text }

    /// Returns the layer without options that one of another layer replaces, and without those that exclude it.
    func overridden(by other: OptionLayer) -> OptionLayer {
        var result = self
        let given = Set(other.values.keys)
        for group in CommandSetting.exclusive where !group.isDisjoint(with: given) {
            for name in group.subtracting(given) { result.values[name] = nil }
        }
        return result
    }

    /// Applies the options of the table to a spec, in the table's order.
    ///
    /// Headers replace those of the same name of a lower layer; the others remain.
    func apply(_ scope: DownloadOption.Scope, to spec: inout DownloadSpec, _ problems: inout InvalidOptions) {
        let lower = spec.access.headers
        spec.access.headers = []
        for option in OptionTable.all where option.scope.contains(scope) {
            let texts = values[option.name] ?? []
            for (index, value) in texts.enumerated() {
                let number = texts.count > 1 ? " number \(index + 1)" : ""
                let label = value.place ?? "--\(option.name)\(number)"
                _ = problems.read(label) { () throws(DownloadError) in try option.read(value.text, &spec) }
            }
        }
        let names = Set(spec.access.headers.map { $0.name.lowercased() })
        spec.access.headers = lower.filter { !names.contains($0.name.lowercased()) } + spec.access.headers
    }
}

/// The sections `[host."…"]` of the configuration file.
package struct HostSettings: Hashable, Sendable {
    private var sections: [(pattern: String, layer: OptionLayer)] { zip(patterns, layers).map { ($0, $1) } }
    private var patterns: [String] = []
    private var layers: [OptionLayer] = []
    /// The environment and the command line, which override the sections.
    private var above: [OptionLayer] = []

    /// Creates settings without sections.
    package init() {}

    init(_ sections: [(pattern: String, layer: OptionLayer)], above: [OptionLayer]) {
        patterns = sections.map(\.pattern)
        layers = sections.map(\.layer)
        self.above = above
    }

    /// Returns the template for a URL: with the options of the sections for its host.
    func template(_ template: DownloadSpec, for url: String?) -> DownloadSpec {
        guard !patterns.isEmpty, let url, let host = try? SourceURL(parsing: URLArgument.completed(url)).host else {
            return template
        }
        let matching = sections.filter { Self.matches($0.pattern, host) }
        guard !matching.isEmpty else { return template }
        var spec = template
        // They were checked when the file was read.
        var problems = InvalidOptions()
        let given = above.reduce(into: OptionLayer()) { $0.merge($1) }
        for section in matching { section.layer.overridden(by: given).apply(.host, to: &spec, &problems) }
        for layer in above { layer.apply(.host, to: &spec, &problems) }
        if !["user", "password-file", "bearer-file"].allSatisfy({ !given.contains($0) }) {
            // Credentials of the command line are used as a whole.
            (spec.access.user, spec.access.password) = (template.access.user, template.access.password)
            spec.access.bearerToken = template.access.bearerToken
        }
        return spec
    }

    /// Returns true if a pattern is for a host: its name, or `*.` and the name of a domain above it.
    static func matches(_ pattern: String, _ host: String) -> Bool {
        let pattern = pattern.lowercased()
        guard pattern.hasPrefix("*.") else { return pattern == host }
        return host.hasSuffix(pattern.dropFirst()) && host.utf8.count > pattern.utf8.count - 1
    }
}

extension OptionLayer {
    /// Adds the values of a higher layer.
    mutating func merge(_ other: OptionLayer) { values.merge(other.values) { $1 } }
}

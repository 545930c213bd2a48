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

    /// The options of which a value here excludes others: all but flags that are switched off.
    private var excluding: Set<String> {
        let isOff = { (name: String) in
            CommandSetting.named(name)?.shape.isTruth == true && text(name) == "false"
        }
        return Set(values.keys.filter { !isOff($0) })
    }

    /// The options that one of this layer excludes.
    var excluded: Set<String> { CommandSetting.excluded(by: excluding) }

    /// Returns the layer without options that one of a higher layer replaces or excludes; headers are joined instead.
    func overridden(by other: OptionLayer) -> OptionLayer {
        var result = self
        for name in other.excluded.union(other.values.keys) where name != "header" { result.values[name] = nil }
        return result
    }

    /// Returns the options of which the name has a property.
    func filter(_ isIncluded: (String) -> Bool) -> OptionLayer {
        var result = self
        result.values = values.filter { isIncluded($0.key) }
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
    private var patterns: [String] = []
    private var layers: [OptionLayer] = []
    /// The options of single downloads of the environment and the command line, which override the sections.
    private var above: [OptionLayer] = []
    /// The options that are excluded by those of the environment and the command line.
    private var excluded: Set<String> = []
    /// True if the environment or the command line has credentials, which are used as a whole.
    private var givesCredentials = false

    /// Creates settings without sections.
    package init() {}

    /// Creates the settings for a command; options of sections that only another command has are ignored.
    ///
    /// - Parameters:
    ///   - scope: The command.
    ///   - above: The options of single downloads of the environment and the command line, the lower layer first.
    ///   - given: All options of the environment and the command line.
    init(
        _ sections: [(pattern: String, layer: OptionLayer)], _ scope: DownloadOption.Scope, above: [OptionLayer],
        given: OptionLayer
    ) {
        patterns = sections.map(\.pattern)
        layers = sections.map { section in
            section.layer.filter { name in
                OptionTable.named(name).map { !$0.scope.contains(.get) || $0.scope.contains(scope) } ?? false
            }
        }
        self.above = above
        excluded = given.excluded
        givesCredentials = ["user", "password-file", "bearer-file"].contains { given.contains($0) }
    }

    /// Returns the template for a URL: with the options of the sections for its host.
    func template(_ template: DownloadSpec, for url: String?) -> DownloadSpec {
        let matching = sections(for: url)
        guard !matching.isEmpty else { return template }
        var spec = template
        // They were checked when the file was read.
        var problems = InvalidOptions()
        for section in matching { apply(section, to: &spec, &problems) }
        for layer in above { layer.apply(.host, to: &spec, &problems) }
        if givesCredentials {
            (spec.access.user, spec.access.password) = (template.access.user, template.access.password)
            spec.access.bearerToken = template.access.bearerToken
        }
        return spec
    }

    /// Returns a spec that has only the options of the sections for the host of a URL.
    func options(for url: String) -> DownloadSpec {
        var spec = DownloadSpec(url: "", destination: .folder(path: "."))
        var problems = InvalidOptions()
        for section in sections(for: url) { apply(section, to: &spec, &problems) }
        return spec
    }

    private func sections(for url: String?) -> [OptionLayer] {
        guard !patterns.isEmpty, let url, let host = try? SourceURL(parsing: URLArgument.completed(url)).host else {
            return []
        }
        return zip(patterns, layers).filter { Self.matches($0.0, host) }.map { $0.1 }
    }

    /// Applies a section to a spec, without what a higher layer excludes, and instead of what the section excludes.
    private func apply(_ section: OptionLayer, to spec: inout DownloadSpec, _ problems: inout InvalidOptions) {
        let section = section.filter { !excluded.contains($0) }
        for name in section.excluded { OptionTable.named(name)?.reset?(&spec) }
        section.apply(.host, to: &spec, &problems)
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

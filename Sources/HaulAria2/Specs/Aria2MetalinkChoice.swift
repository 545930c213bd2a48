package import Haul
package import HaulCore

/// The selection of a Metalink's files, and the order of their sources, by aria2's options.
package struct Aria2MetalinkChoice: Hashable, Sendable {
    private let language: String?
    private let system: String?
    private let version: String?
    private let locations: [String]
    private let scheme: String?

    /// Creates a selection from options.
    package init(_ options: Aria2Options) {
        func value(_ name: String) -> String? { options[name].flatMap { $0.isEmpty ? nil : $0.lowercased() } }
        (language, system) = (value("metalink-language"), value("metalink-os"))
        version = value("metalink-version")
        locations = value("metalink-location")?.split(separator: ",").map(String.init) ?? []
        scheme = options["metalink-preferred-protocol"].flatMap { $0 == "none" ? nil : $0 }
    }

    /// Returns true if a file has the requested language, operating system and version.
    package func admits(_ file: MetalinkFile) -> Bool {
        (language.map { language in file.languages.contains { $0.lowercased() == language } } ?? true)
            && (system.map { system in file.systems.contains { $0.lowercased() == system } } ?? true)
            && (version.map { file.version?.lowercased() == $0 } ?? true)
    }

    /// Returns the sources ordered by requested location and protocol, then by their priorities; the first one gets
    /// priority 1.
    package func ranked(_ sources: [DownloadSpec.Mirror]) -> [DownloadSpec.Mirror] {
        guard !locations.isEmpty || scheme != nil else { return sources }
        let order = sources.enumerated().map { (misses: misses($0.element), index: $0.offset, source: $0.element) }
            .sorted { ($0.misses, $0.source.priority, $0.index) < ($1.misses, $1.source.priority, $1.index) }
        var (rank, last) = (0, (misses: -1, priority: -1))
        return order.map { entry in
            // Equivalent sources share a priority.
            if last != (entry.misses, entry.source.priority) { rank += 1 }
            last = (entry.misses, entry.source.priority)
            var source = entry.source
            source.priority = rank
            return source
        }
    }

    /// Returns the number of criteria that a source does not meet.
    private func misses(_ source: DownloadSpec.Mirror) -> Int {
        let isNear = locations.isEmpty || source.location.map { locations.contains($0.lowercased()) } ?? false
        let isPreferred = scheme.map { source.url.lowercased().hasPrefix($0 + "://") } ?? true
        return (isNear ? 0 : 1) + (isPreferred ? 0 : 1)
    }
}

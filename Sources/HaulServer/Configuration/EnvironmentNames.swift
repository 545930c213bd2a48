/// The variables of the environment that begin with `HAUL_`.
package enum EnvironmentNames {
    /// Those that are no settings: for the client, for hook commands (which may run `haul`), and for fuzzing.
    private static let others = [
        "PATH", "NO_AUTOSTART", "EVENT", "ID", "KEY", "URL", "BYTES", "ERROR", "ERROR_CODE", "GROUP", "TAGS",
        "FUZZING", "FUZZ_TARGET",
    ]

    /// All that mean something.
    private static var known: Set<String> {
        let settings = ConfigurationKey.allCases.map { $0.rawValue.uppercased().replacing("-", with: "_") }
        return Set((settings + others).map { "HAUL_" + $0 })
    }

    /// A warning for each variable that means nothing, so that a misspelt one is not ignored without a word.
    package static func warnings(_ environment: [String: String]) -> [String] {
        let known = known
        return environment.keys.filter { $0.hasPrefix("HAUL_") && !known.contains($0) }.sorted().map { name in
            let nearest = NearestName.find(name, in: known).map { ": did you mean \($0)?" }
            return "the environment variable \(name) is not a setting" + (nearest ?? " and is ignored")
        }
    }
}

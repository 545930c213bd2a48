import HaulOptions

/// The variables of the environment that begin with `HAUL_`.
package enum EnvironmentNames {
    /// The variables that are not settings: for the client, for hook commands (which may run `haul`), and for fuzzing.
    private static let others = [
        "PATH", "NO_AUTOSTART", "EVENT", "ID", "KEY", "URL", "BYTES", "ERROR", "ERROR_CODE", "GROUP", "TAGS",
        "FUZZING", "FUZZ_TARGET",
    ]

    /// The names of all known variables.
    private static var known: Set<String> {
        let settings = ConfigurationKey.allCases.map { $0.rawValue.uppercased().replacing("-", with: "_") }
        let options = CommandSetting.all.compactMap(\.variable) + ["HAUL_CONFIG", "HAUL_NO_CONFIG"]
        return Set((settings + others).map { "HAUL_" + $0 } + options)
    }

    /// Returns true if there is any such variable.
    ///
    /// If not, the list of the known names need not be made.
    package static func areUsed(in environment: [String: String]) -> Bool {
        environment.keys.contains { $0.hasPrefix("HAUL_") }
    }

    /// Returns a warning for each unknown variable, so that a misspelt one is not silently ignored.
    package static func warnings(_ environment: [String: String]) -> [String] {
        guard areUsed(in: environment) else { return [] }
        let known = known
        return environment.keys.filter { $0.hasPrefix("HAUL_") && !known.contains($0) }.sorted().map { name in
            // The prefix is the same in all names, and says nothing about their likeness.
            let nearest = NearestName.find(String(name.dropFirst(5)), in: known.map { String($0.dropFirst(5)) })
                .map { ": did you mean HAUL_\($0)?" }
            return "the environment variable \(name) is not a setting" + (nearest ?? " and is ignored")
        }
    }
}

/// Finds the name that a misspelt one was meant to be.
package enum NearestName {
    /// The most letters that may be wrong.
    private static let farthest = 3

    /// Returns the known name that differs in the fewest letters; nil if all differ in more than three, or in more than half of them.
    package static func find(_ name: String, in known: some Sequence<String>) -> String? {
        let found = known.map { (name: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        guard let found, found.distance <= farthest, found.distance * 2 <= name.utf8.count else { return nil }
        return found.name
    }

    /// Returns the number of letters to insert, delete or replace (Levenshtein distance).
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (index, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (place, other) in second.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(replaced, diagonal + 1, row[place] + 1)
            }
        }
        return row[second.count]
    }
}

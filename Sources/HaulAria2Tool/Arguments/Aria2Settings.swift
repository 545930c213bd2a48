package import HaulAria2

/// aria2's configuration file: `name=value` on each line, comments begin with `#` (aria2(1), aria2.conf).
package struct Aria2Settings: Hashable, Sendable {
    /// The options of the file.
    package private(set) var options = Aria2Options()

    /// Parses the text of a file; unknown options are ignored, as in aria2.
    ///
    /// - Parameter file: The path of the file, for messages.
    /// - Throws: `Aria2Arguments.Failure` that names the file, the line and the option whose value is invalid.
    package init(parsing text: String, file: String) throws(Aria2Arguments.Failure) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            guard !trimmed.hasPrefix("#") else { continue }
            let halves = trimmed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { continue }
            let name = String(halves[0]).filter { $0 != " " && $0 != "\t" }
            guard let option = Aria2Option.named(name) else { continue }
            let value = halves[1].drop { $0 == " " || $0 == "\t" }
            do throws(Aria2Failure) { try options.take(option, String(value)) } catch {
                throw Aria2Arguments.Failure(error, place: "\(file), line \(index + 1): ")
            }
        }
    }

    /// Returns the default paths of the file, in order (aria2(1), `--conf-path`).
    package static func paths(home: String?, configurations: String?) -> [String] {
        let old = home.map { "\($0)/.aria2/aria2.conf" }
        let new = (configurations ?? home.map { "\($0)/.config" }).map { "\($0)/aria2/aria2.conf" }
        return [old, new].compactMap(\.self)
    }
}

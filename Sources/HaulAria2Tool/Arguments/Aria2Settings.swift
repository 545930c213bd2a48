package import HaulAria2
import HaulCore

/// aria2's configuration file: `name=value` on each line, comments begin with `#` (aria2(1), aria2.conf).
package struct Aria2Settings: Hashable, Sendable {
    /// The options of the file.
    package private(set) var options = Aria2Options()
    /// The lines with unknown options, which are ignored, as in aria2.
    package private(set) var warnings: [String] = []

    /// Creates settings without options.
    package init() {}

    /// Parses the text of a file.
    ///
    /// - Parameter file: The path of the file, for messages.
    /// - Throws: `Aria2Arguments.Failure` with a message for each option whose value is invalid, with file and line.
    package init(parsing text: String, file: String) throws(Aria2Arguments.Failure) {
        var problems: [Aria2Arguments.Failure] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            guard !trimmed.hasPrefix("#") else { continue }
            let halves = trimmed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let place = "\(file), line \(index + 1): "
            let name = String(halves[0]).trimmingBlanks
            guard let option = Aria2Option.named(name) else {
                if !name.isEmpty { warnings.append(place + "unknown option \(URLRedaction.quoted(name, width: 40))") }
                continue
            }
            let value = halves.count == 2 ? String(halves[1]).trimmingBlanks : ""
            // As in aria2, an empty path counts as not given.
            guard !value.isEmpty || !option.mayBeEmpty else { continue }
            do throws(Aria2Failure) { try options.take(option, option.expandingHome(value)) } catch {
                problems.append(.init(error, place: place))
            }
        }
        if let first = problems.first {
            throw Aria2Arguments.Failure(message: first.message, others: problems.dropFirst().map(\.message))
        }
    }

    /// Returns the default paths of the file, in order (aria2(1), `--conf-path`).
    package static func paths(home: String?, configurations: String?) -> [String] {
        let old = home.map { "\($0)/.aria2/aria2.conf" }
        let new = (configurations ?? home.map { "\($0)/.config" }).map { "\($0)/aria2/aria2.conf" }
        return [old, new].compactMap(\.self)
    }
}

import HaulOptions

/// Reads the arguments of `haul get` without the argument parser, if every one of them is plain: URLs, known long options,
/// and known letters.
///
/// The parser searches all conformances of the program for each type of option, which takes more than half of the
/// processor time of a small download. Everything that needs its rules, its help or its messages is left to it; both give
/// equal results for what is read here.
enum PlainArguments {
    /// Returns the values of the arguments after `get`; nil if the parser must decide.
    static func read(_ arguments: some Sequence<String>) -> DownloadArguments? {
        var result = DownloadArguments()
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            if argument == "--" {
                while let url = rest.next() { result.urls.append(url) }
            } else if !argument.hasPrefix("-") {
                result.urls.append(argument)
            } else {
                guard let (setting, value) = option(argument),
                    let text = value ?? (setting.shape.isTruth ? "true" : rest.next()),
                    value != nil || text == "-" || !text.hasPrefix("-")
                else { return nil }
                if setting.section != nil {
                    result.options.add(.init(text: text), to: setting)
                } else {
                    result.properties.add(.init(text: text), to: setting)
                }
            }
        }
        return result
    }

    /// Returns the option that an argument is, and the value that it contains; nil if it is not plain.
    private static func option(_ argument: String) -> (CommandSetting, value: String?)? {
        if argument.hasPrefix("--") {
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let setting = named[String(parts[0])], setting.shape != .toggle else { return nil }
            guard parts.count == 2 else { return (setting, nil) }
            return setting.shape.isTruth || parts[1].isEmpty ? nil : (setting, String(parts[1]))
        }
        let letters = argument.dropFirst()
        guard let first = letters.first, let setting = lettered[first] else { return nil }
        let joined = letters.dropFirst()
        guard !joined.isEmpty else { return (setting, nil) }
        return setting.joinsLetter && joined.allSatisfy { ("0"..."9").contains($0) } ? (setting, String(joined)) : nil
    }

    /// The options of `haul get`.
    private static let all =
        CommandSetting.Section.allCases.flatMap { CommandSetting.rows($0) }
        + DownloadOption.Group.allCases.flatMap { CommandSetting.rows($0, .get) }
    private static let named = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    private static let lettered = Dictionary(all.compactMap { row in row.letter.map { ($0, row) } }) { first, _ in first
    }
}

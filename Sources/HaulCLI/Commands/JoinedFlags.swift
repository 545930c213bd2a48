import HaulOptions

/// What to write for short options of curl, wget and aria2 that were joined into one word: `-fsSL`, `-qO-`, `-x16`.
enum JoinedFlags {
    /// What one option comes to.
    private enum Part {
        /// Haul's own options.
        case write(String)
        /// Nothing, for this reason.
        case unneeded(option: String, String)
    }

    /// Returns the advice for a word; nil if it is not of this kind, or one of its letters is not known.
    ///
    /// - Parameters:
    ///   - place: The index of the word.
    ///   - arguments: All arguments.
    static func advice(at place: Int, in arguments: [String]) -> String? {
        let word = arguments[place]
        let nameFollows = isFileName(after: place, in: arguments)
        guard word.utf8.count > 2, word.hasPrefix("-"), !word.hasPrefix("--") else { return nil }
        var (parts, rest): ([Part], Substring) = ([], word.dropFirst())
        while let letter = rest.popFirst() {
            guard let (part, takesRest) = part(letter, rest, nameFollows) else { return nil }
            parts.append(part)
            if takesRest { break }
        }
        return "\(word): \(text(parts))"
    }

    /// What a letter comes to, and whether what follows it in the word is its value.
    private static func part(
        _ letter: Character, _ rest: Substring, _ nameFollows: Bool
    ) -> (Part, takesRest: Bool)? {
        let isNumber = WholeNumber.parse(rest) != nil
        switch letter {
        case "q", "g", "4", "6": return (.write("-\(letter)"), false)
        case "o", "d", "i", "j", "H": return (.write("-\(letter)\(rest.isEmpty ? "" : " \(rest)")"), true)
        case "c" where isNumber, "x" where isNumber, "s" where isNumber: return (.write("-c \(rest)"), true)
        case "s": return (.write("-q"), false)
        case "c",
            "C" where rest.isEmpty || rest == "-" || isNumber:
            return (.unneeded(option: "-\(letter)", "the same command resumes"), letter == "C")
        case "O" where rest == "-": return (.write("-o -"), true)
        case "O" where rest.isEmpty && nameFollows: return (.write("-o FILE"), true)
        case "P" where !rest.isEmpty: return (.write("-d \(rest)"), true)
        case "T" where isNumber: return (.write("--connect-timeout \(rest) --idle-timeout \(rest)"), true)
        case "t" where isNumber: return (.write("--retries \(rest)"), true)
        case "m" where isNumber: return (.write("--max-time \(rest)"), true)
        case "k" where rest.first?.isNumber == true:
            return (.unneeded(option: "-k", "the size of the parts is chosen automatically"), true)
        case "L", "O", "J", "S", "f", "R", "k", "N", "v":
            guard let known = HabitHint.advice["-\(letter)"] else { return nil }
            if known.hasPrefix("write ") {
                return (.write(String(known.dropFirst("write ".count).prefix { $0 != ";" })), false)
            }
            let reason = known.dropFirst("not needed: ".count).prefix { $0 != ";" }
            return (.unneeded(option: "-\(letter)", String(reason)), false)
        default: return nil
        }
    }

    /// Whether the argument after an `-O` is the value of wget's, and not a URL: curl's has none.
    ///
    /// `x.bin` may be the name of a host as well. Beside another argument that may be a URL it is that of a file.
    static func isFileName(after place: Int, in arguments: [String]) -> Bool {
        let next = place + 1
        guard arguments.indices.contains(next) else { return false }
        let name = arguments[next]
        guard name == "-" || !name.hasPrefix("-"), !name.contains("://") else { return false }
        return !URLArgument.looksLikeDownload(name)
            || arguments.indices.contains { $0 != next && URLArgument.looksLikeDownload(arguments[$0]) }
    }

    private static func text(_ parts: [Part]) -> String {
        var (writes, options, reasons): ([String], [String], [String]) = ([], [], [])
        for part in parts {
            switch part {
            case .write(let text): if !writes.contains(text) { writes.append(text) }
            case .unneeded(let option, let reason):
                options.append(option)
                if !reasons.contains(reason) { reasons.append(reason) }
            }
        }
        guard !writes.isEmpty else { return "not needed: \(reasons.joined(separator: "; "))" }
        let write = "write \(writes.joined(separator: " "))"
        return options.isEmpty ? write : "\(write); not needed: \(options.joined(separator: ", "))"
    }
}

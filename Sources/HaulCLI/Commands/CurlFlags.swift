import HaulOptions

/// Flags of curl that `haul get` accepts and does without, because what they ask for is what it does: `-L`, `-fsSLO`.
enum CurlFlags {
    private static let unneeded: Set<String> = [
        "-L", "-f", "-S", "-J", "-#", "--location", "--fail", "--show-error", "--remote-name-all",
        "--remote-header-name", "--remote-time", "--content-disposition", "--create-dirs", "--progress-bar",
        "--show-progress", "--http1.1", "--tlsv1.2",
    ]
    /// Options that say that files are wanted: without one, curl writes to standard output.
    private static let ofFile: Set<String> = [
        "--remote-name", "--remote-name-all", "--remote-header-name", "--content-disposition", "--create-dirs",
        "--show-progress", "--output", "--directory", "--input-file", "--metalink",
    ]

    /// The arguments of `haul get` without curl's flags, or the reason why they can't be what curl would do.
    enum Reading: Equatable {
        case arguments([String])
        case refused(String)
    }

    /// Reads the arguments of `haul get`.
    ///
    /// Joined letters may have an `s`, which means `-q`, and end with `o` or `o-`. Other programs have another meaning for
    /// `-s` and `-O`: with a number, or a file name before the URL, they are left to the parser.
    ///
    /// - Parameter printsToTerminal: True if standard output is a terminal, so that nobody waits there for the file.
    static func read(_ arguments: [String], printsToTerminal: Bool) -> Reading {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var (result, flag, namesFile): ([String], String?, Bool) = ([], nil, false)
        let options = Array(arguments[..<end])
        for (place, word) in options.enumerated() {
            let replacement = replacement(at: place, in: options)
            if replacement != nil { flag = flag ?? word }
            if isOfFile(word) { namesFile = true }
            result += replacement ?? [word]
        }
        if let flag, !namesFile, !printsToTerminal {
            return .refused("\(flag): a file is saved, as with -O: write -O as well; for standard output write -o -")
        }
        return .arguments(result + arguments[end...])
    }

    /// Returns what stands for a flag of curl; nil if it is another word.
    private static func replacement(at place: Int, in arguments: [String]) -> [String]? {
        let word = arguments[place]
        guard word.utf8.first == UInt8(ascii: "-") else { return nil }
        switch word {
        case "--silent": return ["-q"]
        case "--remote-name": return []
        case "-s": return arguments.dropFirst(place + 1).first.flatMap { WholeNumber.parse($0) } == nil ? ["-q"] : nil
        case _ where unneeded.contains(word): return []
        case _: break
        }
        guard !word.hasPrefix("--") else { return nil }
        let toOutput = word.hasSuffix("o-")
        let letters = word.dropFirst().dropLast(toOutput ? 1 : 0)
        guard letters.allSatisfy({ "fsSLOJoq#".contains($0) }), !["", "q"].contains(letters),
            toOutput || letters != "o",
            letters.firstIndex(of: "o").map({ $0 == letters.indices.last }) ?? true,
            !letters.contains("O") || !JoinedFlags.isFileName(after: place, in: arguments)
        else { return nil }
        let isQuiet = letters.contains("s") || letters.contains("q")
        return (isQuiet ? ["-q"] : []) + (letters.last == "o" ? ["-o"] : []) + (toOutput ? ["-"] : [])
    }

    /// Returns true if a word says where the file is to be saved.
    private static func isOfFile(_ word: String) -> Bool {
        if word.hasPrefix("--") { return ofFile.contains(String(word.prefix { $0 != "=" })) }
        return word.hasPrefix("-") && word.dropFirst().contains { "OJodi".contains($0) }
    }
}

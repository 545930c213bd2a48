/// Flags of curl that `haul get` accepts and does without, because what they ask for is what it does: `-L`, `-fsSL`.
enum CurlFlags {
    private static let flags: Set<Substring> = [
        "-L", "-f", "-S", "-J", "--location", "--fail", "--show-error", "--remote-name", "--remote-name-all",
        "--remote-header-name", "--remote-time", "--content-disposition", "--create-dirs",
    ]

    /// Returns the arguments of `haul get` without these flags.
    ///
    /// Joined letters may have an `s`, which means `-q`, and end with an `o`. Other programs have another meaning for `-s`
    /// and `-O` alone: `-s` is left to the parser, and so is an `-O` that a file name follows.
    static func removed(from arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let options = arguments[..<end].indices.flatMap { place in
            replacement(arguments[place], next: place + 1 < end ? arguments[place + 1] : nil)
        }
        return options + arguments[end...]
    }

    private static func replacement(_ word: String, next: String?) -> [String] {
        if flags.contains(word[...]) { return [] }
        let letters = word.dropFirst()
        guard word.hasPrefix("-"), letters.allSatisfy({ "fsSLOJo".contains($0) }), !["", "o", "s"].contains(letters)
        else { return [word] }
        let name = letters.firstIndex(of: "o")
        guard name == nil || name == letters.indices.last, !letters.contains("O") || !JoinedFlags.isFileName(next)
        else {
            return [word]
        }
        return (letters.contains("s") ? ["-q"] : []) + (name == nil ? [] : ["-o"])
    }
}

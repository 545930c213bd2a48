/// The command that a misspelt one is likely to mean.
package enum CommandSuggestion {
    /// Names that other programs have for what haul's commands do.
    private static let synonyms = [
        "download": "get", "fetch": "get", "ls": "list", "rm": "remove", "delete": "remove", "stop": "pause",
        "start": "resume", "unpause": "resume", "info": "show", "status": "list", "check": "verify", "top": "watch",
        "completion": "completions", "man": "manual", "config": "set",
    ]

    /// Returns the command that a text is likely to mean; nil if it is like none.
    package static func command(for text: String, among names: [String]) -> String? {
        if let known = synonyms[text], names.contains(known) { return known }
        let distances = names.map { ($0, distance(Array(text.utf8), Array($0.utf8))) }
        let best = distances.min { $0.1 < $1.1 }
        // Two letters of four could be any word.
        guard let best, best.1 <= (text.utf8.count > 4 ? 2 : 1) else { return nil }
        return best.0
    }

    /// The letters to insert, leave out, change or swap with their neighbour to make one word of the other (optimal string alignment).
    static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        guard first.count <= 64, second.count <= 64 else { return Int.max }
        var rows = [Array(0...second.count)]
        for (row, letter) in first.enumerated() {
            var next = [row + 1]
            for (column, other) in second.enumerated() {
                var best = min(next[column], rows[row][column + 1]) + 1
                best = min(best, rows[row][column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                next.append(best)
            }
            rows.append(next)
        }
        return rows[first.count][second.count]
    }
}

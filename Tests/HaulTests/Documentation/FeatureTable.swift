import Foundation

/// The table of features in docs/features.md: what Haul promises, each with the tests that show it.
struct FeatureTable {
    /// One line of it.
    struct Row: Hashable {
        /// U1 to U30, S1 to S16, F1 to F10, T1 to T24.
        var id: String
        /// What is promised.
        var text: String
        /// The tests that show it; none yet where the cell says "-".
        var tests: [NamedTest]
    }

    /// A test function, by the names of its suite and itself, and its file.
    struct NamedTest: Hashable {
        var suite: String
        var function: String
        var path: String
    }

    /// A line that can't be read.
    struct BadRow: Error, Hashable {
        var line: String
    }

    /// The rows in the order of the file.
    let rows: [Row]

    /// Reads the table: `| U1 | what | [Suite.function](../Tests/…) |`, several tests with commas between them.
    ///
    /// What is promised may take several cells.
    init(_ text: String) throws(BadRow) {
        var rows: [Row] = []
        for line in text.split(separator: "\n") where line.wholeMatch(of: /\| [UFST]\d+ .*/) != nil {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, let tests = cells.last.flatMap(Self.tests) else {
                throw BadRow(line: String(line))
            }
            rows.append(Row(id: cells[0], text: cells[1..<cells.count - 1].joined(separator: ", "), tests: tests))
        }
        self.rows = rows
    }

    private static func tests(_ cell: String) -> [NamedTest]? {
        if cell == "-" { return [] }
        var result: [NamedTest] = []
        for part in cell.split(separator: ", ") {
            guard let match = part.wholeMatch(of: /\[(\w+)\.(\w+)\]\(\.\.\/(Tests\/[\w\/]+\.swift)\)/) else {
                return nil
            }
            let (_, suite, function, path) = match.output
            result.append(NamedTest(suite: String(suite), function: String(function), path: String(path)))
        }
        return result
    }
}

extension FeatureTable.NamedTest {
    /// Whether a file with this text has it: a suite of this name with a function of this name that is a test.
    func isIn(_ text: String) -> Bool {
        let lines = text.split(separator: "\n")
        guard lines.contains(where: { $0.contains("struct \(suite) ") || $0.contains("struct \(suite):") }) else {
            return false
        }
        return lines.indices.contains { index in
            guard lines[index].contains("func \(function)(") else { return false }
            if lines[index].contains("@Test") { return true }
            // The attribute may take several lines; what stands before it ends a declaration.
            let before = lines[..<index].reversed().prefix {
                $0 != "    }" && !$0.contains("func ") && !$0.contains(" let ")
            }
            return before.contains { $0.contains("@Test") }
        }
    }
}

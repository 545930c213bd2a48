import Foundation
import Testing

@Suite("The table of features names tests that there are")
struct FeatureTableTests {
    typealias NamedTest = FeatureTable.NamedTest

    @Test("every feature and every trap has its row, once and in order")
    func rows() throws {
        let table = try FeatureTable(try Snippets.text("docs/features.md"))
        let parts = [("U", 30), ("S", 16), ("F", 10), ("T", 24)]
        #expect(table.rows.map(\.id) == parts.flatMap { letter, last in (1...last).map { "\(letter)\($0)" } })
        #expect(table.rows.allSatisfy { !$0.text.isEmpty })
    }

    @Test("every test that a row names is in its file")
    func names() throws {
        let table = try FeatureTable(try Snippets.text("docs/features.md"))
        var count = 0
        for row in table.rows {
            for test in row.tests {
                count += 1
                let text = try? Snippets.text(test.path)
                #expect(
                    text.map(test.isIn) == true, "\(row.id): no test \(test.suite).\(test.function) in \(test.path)")
            }
        }
        #expect(count > 30)
    }

    @Test(
        "a row that is not as it should be is an error",
        arguments: ["| U1 | a |", "| U1 | a | b |", "| T2 | a | [A.b](x) |"])
    func badRow(line: String) {
        #expect(throws: FeatureTable.BadRow(line: line)) { try FeatureTable(line) }
    }

    @Test("a row that is right is read, and other lines are left out")
    func goodRow() throws {
        let text =
            "# U1\n| id | what |\n| U1 | a | - |\n| T2 | b | [A.b](../Tests/X/Y.swift), [C.d](../Tests/Z.swift) |"
        let tests = [
            NamedTest(suite: "A", function: "b", path: "Tests/X/Y.swift"),
            NamedTest(suite: "C", function: "d", path: "Tests/Z.swift"),
        ]
        #expect(
            try FeatureTable(text).rows == [
                FeatureTable.Row(id: "U1", text: "a", tests: []), FeatureTable.Row(id: "T2", text: "b", tests: tests),
            ])
    }

    @Test("only a function with the attribute is a test")
    func recognised() {
        let text = """
            @Suite struct A {
                @Test func one() {
                }
                @Test(
                    "words",
                    arguments: [1]
                )
                func two(number: Int) {
                }
                func helper() {
                }
            }
            """
        #expect(NamedTest(suite: "A", function: "one", path: "").isIn(text))
        #expect(NamedTest(suite: "A", function: "two", path: "").isIn(text))
        #expect(!NamedTest(suite: "A", function: "helper", path: "").isIn(text))
        #expect(!NamedTest(suite: "A", function: "on", path: "").isIn(text))
        #expect(!NamedTest(suite: "B", function: "one", path: "").isIn(text))
    }
}

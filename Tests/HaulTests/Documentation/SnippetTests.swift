import Testing

@Suite("The documentation shows code that was run")
struct SnippetTests {
    static func code() throws -> [(name: String, lines: [String])] {
        try ["Tests/HaulTests/Documentation", "Tests/HaulUserTests"].flatMap {
            try Snippets.paths(in: $0, ending: ".swift")
        }
        // These two files speak of marks; they have no pieces of their own.
        .filter { !$0.hasSuffix("/Snippets.swift") && !$0.hasSuffix("/SnippetTests.swift") }
        .flatMap { Snippets.inCode(try Snippets.text($0)) }
    }

    static func pages() throws -> [String] {
        ["README.md", "docs/tasks/program.md", "docs/apple.md", "docs/network.md"]
            + (try Snippets.paths(in: "Sources/Haul/Haul.docc", ending: ".md"))
    }

    @Test("every block of Swift is marked, and is word for word what a test runs")
    func blocks() throws {
        let code = Dictionary(try Self.code().map { ($0.name, $0.lines) }) { first, _ in first }
        var count = 0
        for page in try Self.pages() {
            for block in Snippets.inMarkdown(try Snippets.text(page)) {
                count += 1
                guard let name = block.name else {
                    Issue.record("\(page):\(block.number): no mark before this block")
                    continue
                }
                #expect(code[name] == block.lines, "\(page):\(block.number): differs from the piece \(name)")
            }
        }
        #expect(count > 20)
    }

    @Test("the pieces are compiled with the settings of a new package")
    func settings() throws {
        // Without the upcoming feature, a conformance is not inferred to belong to the main actor.
        #if hasFeature(InferIsolatedConformances) || hasFeature(ExistentialAny) || hasFeature(MemberImportVisibility)
            Issue.record("this target has upcoming features")
        #endif
        #if hasFeature(InternalImportsByDefault)
            Issue.record("this target has upcoming features")
        #endif
    }

    @Test("every piece has a name of its own and is shown somewhere")
    func pieces() throws {
        let names = try Self.code().map(\.name)
        #expect(Set(names).count == names.count)
        let shown = try Self.pages().flatMap { Snippets.inMarkdown(try Snippets.text($0)).compactMap(\.name) }
        #expect(Set(names).subtracting(shown).isEmpty)
    }

    @Test("what is read from code: several pieces, indented or not")
    func readingCode() {
        let text =
            "a\n    // snippet: one\n    let x = 1\n\n      y\n    // end snippet\nb\n// snippet: two\nz\n// end snippet\n"
        let found = Snippets.inCode(text)
        #expect(found.map(\.name) == ["one", "two"])
        #expect(found.map(\.lines) == [["let x = 1", "", "  y"], ["z"]])
    }

    @Test("what is read from markdown: a mark counts for the next block only, and only right before it")
    func readingMarkdown() {
        let text = """
            <!-- snippet: one -->

            ```swift
                let x = 1
            ```
            ```swift
            y
            ```
            <!-- snippet: three -->
            words
            ```swift
            z
            ```
            ```text
            no Swift
            ```
            """
        #expect(
            Snippets.inMarkdown(text) == [
                Snippets.Block(name: "one", lines: ["let x = 1"], number: 3),
                Snippets.Block(name: nil, lines: ["y"], number: 6),
                Snippets.Block(name: nil, lines: ["z"], number: 11),
            ])
    }
}

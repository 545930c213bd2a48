import Foundation

/// Pieces of code that the documentation shows: in the tests that run them, and in the markdown.
enum Snippets {
    /// A block of Swift in a markdown file.
    struct Block: Hashable {
        /// The name in the mark before it, or nil where there is none.
        var name: String?
        /// Its lines, without the indentation that all of them share.
        var lines: [String]
        /// The number of its first line in the file, for messages.
        var number: Int
    }

    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The text of a file of the package.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The paths of the files in a folder of the package that end so, sorted.
    static func paths(in folder: String, ending suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path).sorted()
            .filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
    }

    /// The pieces between `// snippet: NAME` and `// end snippet`, with their names, in order.
    static func inCode(_ text: String) -> [(name: String, lines: [String])] {
        var result: [(name: String, lines: [String])] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let bare = line.trimmingCharacters(in: .whitespaces)
            if bare.hasPrefix("// snippet: ") {
                result.append((String(bare.dropFirst(12)), []))
                isInside = true
            } else if bare == "// end snippet" {
                isInside = false
            } else if isInside {
                result[result.count - 1].lines.append(String(line))
            }
        }
        return result.map { ($0.name, dedented($0.lines)) }
    }

    /// The blocks that are fenced as Swift, each with the mark `<!-- snippet: NAME -->` before it.
    static func inMarkdown(_ text: String) -> [Block] {
        var result: [Block] = []
        var mark: String?
        var isInside = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let bare = line.trimmingCharacters(in: .whitespaces)
            if isInside {
                isInside = bare != "```"
                if isInside { result[result.count - 1].lines.append(String(line)) }
            } else if bare == "```swift" {
                result.append(Block(name: mark, lines: [], number: index + 1))
                isInside = true
                mark = nil
            } else if bare.hasPrefix("<!-- snippet: "), bare.hasSuffix(" -->") {
                mark = String(bare.dropFirst(14).dropLast(4))
            } else if !bare.isEmpty {
                mark = nil
            }
        }
        return result.map { Block(name: $0.name, lines: dedented($0.lines), number: $0.number) }
    }

    private static func dedented(_ lines: [String]) -> [String] {
        let depth = lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { $0.allSatisfy(\.isWhitespace) ? "" : String($0.dropFirst(depth)) }
    }
}

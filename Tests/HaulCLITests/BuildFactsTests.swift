import HaulCore
import Testing

@testable import HaulCLI

@Suite("haul --version --verbose")
struct BuildFactsTests {
    @Test("the facts of the build and the libraries are lines of their own")
    func lines() {
        let text = BuildFacts.text(
            build: "commit: abc with changes;compiler: Swift 6.3;package: swift-nio 2.101.2",
            libraries: [("zlib", "1.3"), ("libcurl", "is not installed")])
        #expect(
            text == """
                haul \(Version.current)
                commit: abc with changes
                compiler: Swift 6.3
                package: swift-nio 2.101.2
                library: zlib 1.3
                library: libcurl is not installed

                """)
    }

    @Test("a build that was given no facts says so")
    func unknown() {
        #expect(BuildFacts.text(build: nil, libraries: []).contains("commit: unknown"))
    }

    @Test("this program knows its libraries")
    func libraries() {
        let lines = BuildFacts.text.split(separator: "\n")
        #expect(lines.contains { $0.wholeMatch(of: #/library: SQLite 3\.[0-9.]+/#) != nil })
        #expect(lines.contains { $0.wholeMatch(of: #/library: zlib [0-9.]+/#) != nil })
        #expect(lines.contains { $0.hasPrefix("library: libcurl ") })
    }

    @Test(
        "both options ask for it, in any order, and nothing else does",
        arguments: [
            (["--version", "--verbose"], true), (["--verbose", "--version"], true), (["--version"], false),
            (["--version", "--version"], false), (["get", "--version", "--verbose"], false),
        ])
    func asked(_ arguments: [String], _ isAsked: Bool) {
        #expect(BuildFacts.isAsked(by: arguments) == isAsked)
    }
}

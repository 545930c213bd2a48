import ArgumentParser
import HaulCore
import HaulWire
import Testing

@testable import HaulCLI

@Suite("Which downloads are meant")
struct SelectionTests {
    private func selection(_ arguments: [String], isNeeded: Bool = true) throws -> Selection {
        try SelectionOptions.parse(arguments).selection(isNeeded: isNeeded)
    }

    @Test func numbersAndRanges() throws {
        let ids = [3, 7, 8, 9].map { DownloadID(rawValue: $0) }
        #expect(try selection(["3", "7-9"]) == .ids(ids))
        #expect(try selection(["3-3"]) == .ids([ids[0]]))
    }

    @Test(arguments: ["0", "x", "3x", "9-7", "1-", "3-x", "0-4", "1-2-3", "1-200000", "99999999999999999999", ""])
    func noNumbers(_ text: String) { #expect(throws: InvalidOptions.self) { try selection([text]) } }

    @Test("the word all gets a hint")
    func all() {
        let problems = #expect(throws: InvalidOptions.self) { try selection(["all"]) }
        #expect(problems?.messages == ["\"all\" is not a number: to select all downloads, write --all"])
    }

    @Test("numbers that do not exist are named in one line")
    func text() {
        let ids = [4, 7, 8, 9, 12].map { DownloadID(rawValue: $0) }
        #expect(Selection.text(of: ids) == "4, 7-9, 12")
    }

    @Test func conditions() throws {
        var filter = FilterMessage()
        (filter.groups, filter.tags, filter.search) = (["g"], ["t", "u"], "x")
        filter.states = [.failed, .paused]
        let words = [
            "--group", "g", "--tag", "t", "--tag", "u", "--state", "failed", "--state", "paused", "--search", "x",
        ]
        #expect(try selection(words) == .filter(filter))
        filter.ids = [DownloadID(rawValue: 4)]
        #expect(try selection(["4"] + words) == .filter(filter))
        (filter.codes, filter.hosts) = ([.notFound, .timedOut], ["Example.org", "::1"])
        #expect(
            try selection(
                ["4"] + words
                    + ["--code", "notFound", "--code", "timedOut", "--host", "Example.org", "--host", "::1"])
                == .filter(filter))
        #expect(try selection(["--all"]) == .all)
        #expect(try selection([], isNeeded: false) == .unsaid)
    }

    @Test(arguments: [
        [], ["--all", "3"], ["--all", "--group", "g"], ["--state", "done"], ["--code", "404"], ["--host", "a/b"],
        ["--all", "--host", "h"],
    ])
    func refused(_ arguments: [String]) { #expect(throws: InvalidOptions.self) { try selection(arguments) } }
}

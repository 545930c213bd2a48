import ArgumentParser
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Habits of curl, wget and aria2") struct HabitHintTests {
    private func message(_ arguments: [String]) throws -> String {
        let error = try #require(throws: (any Error).self) { _ = try HaulCommand.parseAsRoot(arguments) }
        return HaulCommand.message(for: error)
    }

    @Test("every option that has a hint is unknown to haul get, and the hint is found", arguments: HabitHint.options)
    func known(option: String) throws {
        for arguments in [["get", option, "http://h/a"], ["get", "http://h/a", option]] {
            let message = try message(arguments)
            let line = try #require(HabitHint.line(for: message), "\(message)")
            #expect(line.hasPrefix(option + ": ") && !line.contains("\n"))
        }
    }

    @Test("every option that a hint names exists", arguments: HabitHint.options)
    func named(option: String) throws {
        let help = HaulCommand.helpMessage(for: GetCommand.self, columns: 100)
        let line = try #require(HabitHint.line(for: "Unknown option '\(option)'"))
        for word in line.dropFirst(option.count).split(whereSeparator: { " ;:,".contains($0) })
        where word.hasPrefix("-") {
            #expect(help.contains(" \(word)") || help.contains("-\(word)"), "\(word)")
        }
    }

    @Test("wget's -c says what it is here") func connections() throws {
        #expect(HabitHint.line(for: try message(["get", "http://h/a", "-c"])) == HabitHint.connectionsHint)
        let command = try #require(try HaulCommand.parseAsRoot(["get", "-c", "http://h/a"]) as? GetCommand)
        let problems = #expect(throws: InvalidOptions.self) {
            try GetPlan(
                source: command.source, transfer: command.transfer, output: command.output, network: command.network)
        }
        #expect(problems?.messages == [HabitHint.connectionsHint])
    }

    @Test(
        "short options that are joined are taken apart",
        arguments: [
            (["-LO"], "-LO: not needed: redirects are followed; a file gets its name from the server or the URL"),
            (["-OJ"], "-OJ: not needed: a file gets its name from the server or the URL"),
            (["-fsSL"], "-fsSL: write -q; not needed: -f, -S, -L"),
            (["-sSLo", "f"], "-sSLo: write -q -o; not needed: -S, -L"),
            (["-qO-"], "-qO-: write -q -o -"), (["-O-"], "-O-: write -o -"), (["-qO", "f"], "-qO: write -q -o FILE"),
            (["-sLO"], "-sLO: write -q; not needed: -L, -O"), (["-kL"], "-kL: write --insecure; not needed: -L"),
            (["-x16"], "-x16: write -c 16"), (["-s8"], "-s8: write -c 8"),
            (["-k1M"], "-k1M: not needed: the size of the parts is chosen automatically"),
            (["-T5"], "-T5: write --connect-timeout 5 --idle-timeout 5"), (["-t3"], "-t3: write --retries 3"),
            (["-C-"], "-C-: not needed: the same command resumes"),
            (["-PDownloads"], "-PDownloads: write -d Downloads"), (["-sN"], "-sN: write -q --on-conflict keep"),
            (["-s", "5"], "-s: for the number of connections write -c N; to be quiet write -q"),
            (["-LY"], nil), (["-yz"], nil),
        ] as [([String], String?)])
    func joined(words: [String], hint: String?) throws {
        for arguments in [["get"] + words + ["http://h/a"], ["get", "http://h/a"] + words] {
            let message = try message(arguments)
            #expect(HabitHint.line(for: message, arguments: arguments) == hint, "\(message)")
        }
    }

    @Test("other messages have no hint", arguments: ["", "Unknown option '--foo'", "Unexpected argument 'x'", "'-L'"])
    func others(message: String) {
        #expect(HabitHint.line(for: message) == nil)
    }

    @Test("the program says it in one line", .enabled(if: BuiltProgram.exists))
    func program() async throws {
        for (arguments, hint) in [
            (["get", "-L", "http://h/a"], "haul: -L: not needed: redirects are followed\n"),
            (["-C", "-", "http://h/a"], "haul: -C: not needed: "),
            (["http://h/a", "--continue-at", "5"], "haul: --continue-at: not needed: "),
            (["get", "-c", "http://h/a"], "haul: -c is the number of connections"),
            (["-qO-", "http://h/a"], "haul: -qO-: write -q -o -\n"),
            (["-LO", "http://h/a"], "haul: -LO: not needed: "),
        ] {
            let end = try await BuiltProgram.run(arguments, in: try TemporaryFolder())
            #expect(end.status == 2 && end.error.hasPrefix(hint), "\(end.error)")
            #expect(end.error.split(separator: "\n").count == 1)
        }
    }
}

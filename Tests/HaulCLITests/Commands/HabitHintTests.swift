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
        ] {
            let end = try await BuiltProgram.run(arguments, in: try TemporaryFolder())
            #expect(end.status == 2 && end.error.hasPrefix(hint), "\(end.error)")
            #expect(end.error.split(separator: "\n").count == 1)
        }
    }
}

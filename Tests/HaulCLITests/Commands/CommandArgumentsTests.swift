import ArgumentParser
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Arguments before they are parsed") struct CommandArgumentsTests {
    @Test(
        "a download without a command is one for get",
        arguments: [
            ["https://h/a"], ["http://h/a", "-o", "x"], ["h.example/a"], ["localhost:8080"], ["example.org"],
            ["[::1]:80/a"], ["-c", "8", "https://h/a"], ["-i", "list"], ["--input-file=list", "-q"],
            ["--metalink", "x.meta4"], ["--quiet"], ["-o", "f"], ["sftp://me@h/a"], ["http://h/{a,b}"],
            ["-q", "--", "http://h/a"],
        ])
    func downloads(arguments: [String]) {
        #expect(CommandArguments.completed(arguments) == ["get"] + arguments)
    }

    @Test(
        "anything else is left as it is",
        arguments: [
            [], ["get", "https://h/a"], ["add", "https://h/a"], ["--version"], ["--help"], ["-h", "https://h/a"],
            ["gte", "https://h/a"], ["list"], ["lst"], ["./file"], ["/etc/passwd"], ["help", "nope"],
            ["--help", "https://h/"], ["magnet:?xt=urn"], ["mailto:me@h.example"],
        ])
    func commands(arguments: [String]) {
        #expect(CommandArguments.completed(arguments) == arguments)
    }

    @Test(
        "an empty value is an argument of its own",
        arguments: [
            (["get", "--output=", "http://h/a"], ["get", "--output", "", "http://h/a"]),
            (["--output=", "http://h/a"], ["get", "--output", "", "http://h/a"]),
            (["get", "--proxy=", "http://h/a"], ["get", "--proxy", "", "http://h/a"]),
            (["get", "--output=x=", "http://h/?a="], ["get", "--output=x=", "http://h/?a="]),
            (["get", "--", "--output=", "http://h/"], ["get", "--", "--output=", "http://h/"]),
            (["get", "--=", "-o="], ["get", "--=", "-o="]),
        ])
    func emptyValues(arguments: [String], completed: [String]) {
        #expect(CommandArguments.completed(arguments) == completed)
    }

    @Test("an empty output is an error that says so") func emptyOutput() throws {
        let arguments = CommandArguments.completed(["--output=", "http://h/a"])
        let command = try #require(try HaulCommand.parseAsRoot(arguments) as? GetCommand)
        let problems = #expect(throws: InvalidOptions.self) {
            try GetPlan(command.arguments)
        }
        #expect(problems?.messages == ["--output is empty: name a file"])
    }

    @Test(
        "misspelt commands get a suggestion, other words none",
        arguments: [
            ("gte", "get"), ("ad", "add"), ("lst", "list"), ("verfy", "verify"), ("daemno", "daemon"),
            ("download", "get"), ("rm", "remove"), ("ls", "list"), ("resum", "resume"), ("watch", "watch"),
            ("frobnicate", nil), ("x", nil), ("torrent", nil), ("", nil),
        ])
    func suggestions(text: String, command: String?) {
        let names = HaulCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        #expect(names.contains("get") && names.contains("daemon"))
        #expect(CommandSuggestion.command(for: text, among: names) == command)
    }

    @Test("distances between all short words are a metric's") func distances() {
        let words = ["", "a", "b"].flatMap { a in
            ["", "a", "b"].flatMap { b in ["", "a"].map { Array((a + b + $0).utf8) } }
        }
        for first in words {
            for second in words {
                let distance = CommandSuggestion.distance(first, second)
                #expect((distance == 0) == (first == second))
                #expect(distance == CommandSuggestion.distance(second, first))
                #expect(distance <= max(first.count, second.count))
                #expect(distance >= abs(first.count - second.count))
            }
        }
        #expect(CommandSuggestion.distance(Array("gte".utf8), Array("get".utf8)) == 1)
    }
}

@Suite("The program without a command", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
struct ShortCommandTests {
    @Test("haul URL downloads, patterns and a missing scheme included") func download() async throws {
        let (one, two) = (Resource.file(seed: 1, size: 100_000), Resource.file(seed: 2, size: 100_000))
        try await FaultServer.run(["/f1.bin": one, "/f2.bin": two, "/f%5B1-2%5D.bin": two]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(["127.0.0.1:\(server.port)/f[1-2].bin"], in: folder)
            #expect(end.status == 0, "\(end.error)")
            #expect(folder.bytes("f1.bin") == one.allBytes && folder.bytes("f2.bin") == two.allBytes)
            let literal = try await BuiltProgram.run(["-g", server.url("/f[1-2].bin")], in: folder)
            #expect(literal.status == 0, "\(literal.error)")
            #expect(folder.bytes("f[1-2].bin") == two.allBytes)
        }
    }

    @Test(
        "wrong commands and topics end with 2",
        arguments: [
            (["gte", "http://h/a"], "did you mean haul get?"), (["help", "nope"], "\"nope\" is not a command"),
            (["no-url"], "\"no-url\" is not a command"), (["get", "--output=", "http://h/a"], "--output is empty"),
            (["get", "no-url"], "invalid URL"),
        ])
    func wrong(arguments: [String], message: String) async throws {
        let end = try await BuiltProgram.run(arguments, in: try TemporaryFolder())
        #expect(end.status == 2)
        #expect(end.error.contains(message) && end.error.split(separator: "\n").count == 1, "\(end.error)")
    }

    @Test("a pattern that can't be expanded ends with 2, and its place is shown")
    func wrongPattern() async throws {
        let end = try await BuiltProgram.run(["http://h/[9-1]"], in: try TemporaryFolder())
        #expect(end.status == 2 && end.error.contains("runs backwards") && end.error.contains("^"), "\(end.error)")
    }
}

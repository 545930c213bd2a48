import ArgumentParser
import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct HaulProgramTests {
    private func failure(_ arguments: [String]) throws -> any Error {
        try #require(throws: (any Error).self) {
            var command = try HaulCommand.parseAsRoot(arguments)
            try command.run()
        }
    }

    @Test(arguments: [
        (["get", "--foo"], "unknown option '--foo'"), (["get", "http://h/a", "-o"], "missing value for '-o <file>'"),
        (["frobnicate"], "unexpected argument 'frobnicate'"),
    ])
    func whatTheParserRefusesIsOneLine(arguments: [String], start: String) throws {
        let line = UsageMessage.line(HaulCommand.message(for: try failure(arguments)), command: nil)
        #expect(line.hasPrefix(start), "\(line)")
        #expect(!line.contains("\n"))
    }

    @Test(
        "an option is suggested only if it is spelled nearly like the one that was given",
        arguments: [
            ("--conections", "--connections"), ("--verbositty", "--verbosity"), ("--bogus", nil), ("--joobs", "--jobs"),
        ] as [(String, String?)])
    func suggestions(option: String, suggestion: String?) throws {
        let message = HaulCommand.message(for: try failure(["get", option, "http://h/a"]))
        let line = UsageMessage.line(message, command: "get")
        if let suggestion {
            #expect(line == "unknown option '\(option)'. Did you mean '\(suggestion)'?")
        } else {
            #expect(line == "unknown option '\(option)' (see haul get --help)")
        }
    }

    @Test(arguments: [(nil, "(see haul --help)"), ("verify", "(see haul verify --help)")])
    func itSaysWhereToLook(command: String?, end: String) {
        #expect(UsageMessage.line("Unknown option.", command: command) == "unknown option \(end)")
    }

    @Test(arguments: [
        (["daemon", "status", "--port"], "daemon status"), (["daemon", "--port"], "daemon"),
        (["get", "status"], "get"),
        (["status"], nil), (["--quiet", "get"], nil), ([], nil),
    ])
    func theHelpIsThatOfTheWholeCommand(arguments: [String], command: String?) {
        #expect(HaulProgram.command(of: arguments) == command)
    }

    @Test func anUndecodableArgumentIsShownWithoutSecretsAndControls() {
        let text = UsageMessage.undecodable("https://me:secret@host/\\xe9\u{1B}[2J")
        #expect(text.hasPrefix("the argument \"https://REDACTED@host/\\xe9") && !text.contains("\u{1B}"))
    }

    @Test(arguments: [
        (["gte", "http://h/a"], "\"gte\" is not a command: did you mean haul get?"),
        (["daemon", "stauts"], "\"daemon stauts\" is not a command: did you mean haul daemon status?"),
        (["daemon", "frobnicate"], "\"daemon frobnicate\" is not a command (see haul --help)"),
        (["daemon", "status", "x"], nil), (["daemon", "--prot", "1"], nil), (["daemon"], nil), (["help", "x"], nil),
        (["--quiet"], nil), ([], nil),
    ])
    func aMisspeltCommandOfAGroupIsSuggestedAsWell(arguments: [String], message: String?) {
        #expect(HaulProgram.misspelt(arguments) == message)
    }

    @Test func whatIsNoCommandIsTold() {
        #expect(UsageMessage.noCommand("x") == "\"x\" is not a command (see haul --help)")
        #expect(UsageMessage.noCommand("gte", suggestion: "get") == "\"gte\" is not a command: did you mean haul get?")
        #expect(UsageMessage.noCommand("") == "the first argument is empty: give a URL or a command (see haul --help)")
        #expect(UsageMessage.noCommand("version") == "\"version\" is not a command: did you mean haul --version?")
        let advice = "is not a command: to download it, write haul get, then the URL"
        #expect(UsageMessage.noCommand("./a/host") == "\"./a/host\" \(advice)")
        #expect(
            UsageMessage.noCommand(" http://h/a") == "\" http://h/a\" is not a command: remove the space before the URL"
        )
        for wrong in ["http:/h/a", "http:h/a"] {
            #expect(UsageMessage.noCommand(wrong) == "\"\(wrong)\" is not a command: write http://, then the host")
        }
        let line = UsageMessage.noCommand("https://me:secret@host/a?key=secret")
        #expect(line == "\"https://REDACTED@host/a?key=REDACTED\" \(advice)")
    }

    @Test(arguments: [
        (["help", "nope"], "nope"), (["help", "https://h/"], "https://h/"), (["help", "daemon", "status"], nil),
        (["help", "get"], nil), (["help"], nil), (["help", "help"], nil), (["get", "help"], nil),
        (["help", "--help"], nil),
    ])
    func helpKnowsItsTopics(arguments: [String], topic: String?) {
        #expect(HaulProgram.unknownTopic(of: arguments) == topic)
    }

    @Test(arguments: [
        ["daemon", "https://me:secret@host/a"], ["daemon", "https://host/a?key=secret"],
        ["daemon", "stop", "https://me:s'secret@host/a"], ["get", "--quiet=https://me:secret@host/", "http://h/a"],
    ])
    func noSecretOfAnArgumentIsRepeated(arguments: [String]) throws {
        let message = HaulCommand.message(for: try failure(arguments))
        #expect(message.contains("secret"))
        let line = UsageMessage.line(message, command: nil)
        #expect(line.contains("https://") && !line.contains("secret"), "\(line)")
        var problems = InvalidOptions()
        problems.add("\(arguments): not this")
        #expect(problems.messages.allSatisfy { $0.hasSuffix(": not this") && !$0.contains("secret") })
    }

    @Test(arguments: [["-c8", "-j16"], ["-c", "8", "-j", "16"], ["--connections=8", "--jobs", "16"]])
    func numbersMayStandRightBehindTheirLetters(arguments: [String]) throws {
        let command = try #require(try HaulCommand.parseAsRoot(["get", "http://h/a"] + arguments) as? GetCommand)
        #expect(command.arguments.properties.text("connections") == "8")
        #expect(command.arguments.options.text("jobs") == "16")
    }

    @Test func helpNamesEveryOptionExitCodeAndEvent() {
        let help = HaulCommand.helpMessage(for: GetCommand.self, columns: 80)
        for option in [
            "--output", "--directory", "--connections", "--jobs", "--checksum", "--header", "--user-agent",
            "--on-conflict", "--find-checksum", "--no-header-checksum", "--verify-existing", "--no-resume",
            "--continue", "--retries",
            "--connect-timeout", "--idle-timeout", "--max-wait", "--max-time", "--min-speed", "--limit-rate",
            "--input-file", "--ca-certificate", "--insecure", "--allow-downgrade", "--quiet", "--json", "--log-level",
        ] {
            #expect(help.contains(option))
        }
        for code in ExitCode.allCases { #expect(help.contains(code.meaning)) }
        for line in JSONReporter.table.split(separator: "\n") { #expect(help.contains(line)) }
    }

    @Test func versionAndHelpAreNoErrors() throws {
        for arguments in [["--version"], ["--help"], ["get", "--help"]] {
            #expect(HaulCommand.exitCode(for: try failure(arguments)).isSuccess)
        }
        #expect(HaulCommand.fullMessage(for: try failure(["--version"])) == "haul \(Version.current)")
    }

    @Test("a hook of aria2c writes where the program does", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(1)))
    func hookOutput() async throws {
        try await FaultServer.run(["/f": .file(seed: 1, size: 1000)]) { server in
            let folder = try TemporaryFolder()
            try folder.put(Array("#!/bin/sh\necho \"out $2 $3\"; echo err >&2\n".utf8), "hook")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path("hook"))
            let end = try await BuiltProgram.run(
                ["aria2c", "-q", "--no-conf", "--on-download-complete=./hook", server.url("/f")], in: folder)
            #expect(end.status == 0 && end.output.contains("out 1 ") && end.output.contains("/f\n"), "\(end.output)")
            #expect(end.error == "err\n")
        }
    }

    @Test func wrongUseEndsWithTwo() async {
        #expect(await HaulProgram.run(arguments: ["get", "--no-such-option"]) == 2)
        #expect(await HaulProgram.run(arguments: ["get", "no-url"]) == 2)
        #expect(await HaulProgram.run(arguments: ["get"]) == 2)
    }
}

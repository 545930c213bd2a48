import ArgumentParser
import Testing

@testable import HaulCLI

@Suite("What to write instead of another command's option")
struct CommandHintTests {
    @Test("the options of haul get that haul add lacks have a hint, and no others")
    func ofGet() {
        let (get, add) = (GetCommand.helpMessage(columns: 300), AddCommand.helpMessage(columns: 300))
        let daemon = DaemonRestartCommand.helpMessage(columns: 300)
        func has(_ help: String, _ option: String) -> Bool {
            help.split(whereSeparator: { $0.isWhitespace || $0 == "," }).contains { $0 == option }
        }
        let hinted = CommandHint.daemonSettings.union(CommandHint.output).union(CommandHint.onlyGet).union(["--why"])
        let names = get.split(whereSeparator: { $0.isWhitespace || $0 == "," }).map(String.init)
        let lacking = names.filter { name in
            name.hasPrefix("--") && name.allSatisfy { $0.isLetter || $0 == "-" || $0.isNumber } && !has(add, name)
        }
        #expect(hinted == Set(lacking).subtracting(["--no-why"]).union(["--why"]))
        for option in CommandHint.daemonSettings { #expect(has(daemon, option)) }
    }

    @Test("the hint comes instead of the parser's own message")
    func lines() {
        for (option, command, text) in [
            ("--netrc", "add", "only haul get"), ("--proxy", "add", "haul daemon restart --proxy VALUE"),
            ("-c", "verify", "--checksums LIST"),
        ] {
            let line = UsageMessage.line("Unknown option '\(option)'", command: command)
            #expect(line.hasPrefix("\(option): ") && line.contains(text))
        }
        #expect(UsageMessage.line("Unknown option '--nettrc'", command: "add").contains("haul add --help"))
    }

    @Test("each option that a command does not have is named, once")
    func further() {
        let first = "--no-progress-meter: write -q"
        let lines = UsageMessage.further(
            after: first, command: "get",
            arguments: ["get", "--no-progress-meter", "-c", "4", "--tries=3", "--split=5", "--split=6", "http://h/-k"],
            known: [])
        #expect(lines.map { $0.prefix { $0 != ":" } } == ["--tries", "--split"])
        func count(_ arguments: String...) -> Int {
            UsageMessage.further(after: "", command: arguments[0], arguments: arguments, known: []).count
        }
        #expect(count("get", "-c", "4", "--", "--tries") == 0)
        #expect(count("batch", "-x", "3", "--tries") == 1)
    }

    @Test("an option that the command has is not named, although another program has one of the same name")
    func ownOptions() {
        let arguments = ["add", "--wait", "--bogus", "--tries=3", "http://h/a"]
        let known = HaulProgram.options(of: arguments)
        #expect(known.contains("--wait") && HabitHint.advice["--wait"] != nil)
        let lines = UsageMessage.further(
            after: "unknown option '--bogus'", command: "add", arguments: arguments, known: known)
        #expect(lines.map { $0.prefix { $0 != ":" } } == ["--tries"])
        #expect(HaulProgram.options(of: ["daemon", "token", "x"]).contains("--help"))
    }

    @Test(
        "a batch has hints of its own",
        arguments: [
            ("--output_folder", "write --out"), ("--output-folder", "write --out"), ("-x", "write -j N"),
            ("--bwlimit", "write --limit-rate RATE"), ("--resume", "not fetched again"),
        ])
    func batch(option: String, hint: String) {
        #expect(UsageMessage.line("Unknown option '\(option)'", command: "batch").contains(hint))
        // `haul get` would know this one.
        #expect(UsageMessage.line("Unknown option '--tries'", command: "batch").contains("see haul batch --help"))
    }
}

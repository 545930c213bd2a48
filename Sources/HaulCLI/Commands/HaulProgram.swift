import ArgumentParser
import HaulCore
import HaulLibC
import HaulOptions
import HaulServer

/// The program from its arguments to its exit code.
package enum HaulProgram {
    /// Parses the arguments, runs the command, and returns the number to exit with (see `ExitCode`).
    package static func run(arguments: [String]) async -> Int32 {
        let code = await code(of: arguments)
        guard code == ExitCode.complete.rawValue, let loss = OutputFile.loss else { return code }
        // What was downloaded is there all the same; of other commands, the output is the result.
        guard !["get", "add", "batch"].contains(CommandArguments.completed(arguments).first) else { return code }
        complain("can't write to standard output: \(loss)")
        return ExitCode.fileFailed.rawValue
    }

    private static func code(of arguments: [String]) async -> Int32 {
        if arguments.isEmpty {
            OutputFile.standardOutput.write(HaulCommand.firstSteps)
            return ExitCode.complete.rawValue
        }
        if BuildFacts.isAsked(by: arguments) {
            OutputFile.standardOutput.write(BuildFacts.text)
            return ExitCode.complete.rawValue
        }
        var arguments = CommandArguments.completed(arguments)
        if arguments.first == "get" {
            switch CurlFlags.read(arguments, printsToTerminal: OutputFile.standardOutput.isTerminal) {
            case .arguments(let others): arguments = others
            case .refused(let reason):
                complain(reason)
                return ExitCode.invalidRequest.rawValue
            }
        }
        if let wrong = unknownTopic(of: arguments) {
            complain(UsageMessage.noCommand(wrong, suggestion: suggestion(for: wrong)))
            return ExitCode.invalidRequest.rawValue
        }
        let configured: (arguments: [String], settings: CommandSettings)
        do throws(DownloadError) {
            configured = try configure(arguments, environment: ProcessEnvironment.all)
        } catch {
            complain(error.description)
            return ExitCode.invalidRequest.rawValue
        }
        do {
            if configured.arguments.first == "get", var plain = PlainArguments.read(configured.arguments.dropFirst()) {
                plain.settings = configured.settings
                return await GetProgram.run(try GetPlan(plain)).rawValue
            }
            var command = try HaulCommand.parseAsRoot(configured.arguments)
            if var waiting = command as? any ConfiguredCommand {
                waiting.settings = configured.settings
                try await waiting.run()
            } else if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            return ExitCode.complete.rawValue
        } catch let problems as InvalidOptions {
            for problem in problems.problems { complain(problem.message, excerpt: problem.excerpt) }
            return ExitCode.invalidRequest.rawValue
        } catch let code as ArgumentParser.ExitCode {
            return code.rawValue
        } catch {
            return response(error, to: arguments)
        }
    }

    /// Reads the configuration file and the environment for a command that uses them.
    private static func configure(
        _ arguments: [String], environment: [String: String]
    ) throws(DownloadError) -> (arguments: [String], settings: CommandSettings) {
        guard ["get", "add"].contains(arguments.first), !arguments.contains("--help"), !arguments.contains("-h")
        else { return (arguments, CommandSettings()) }
        let settings = try CommandSettings.load(arguments: arguments, environment: environment)
        for warning in EnvironmentNames.warnings(environment) { complain(warning) }
        return (complete(arguments, with: settings), settings)
    }

    /// Returns the arguments of `get` or `add` with the options that the settings add: those that the commands declare.
    static func complete(_ arguments: [String], with settings: CommandSettings) -> [String] {
        let isAdd = arguments.first == "add"
        let added = settings.arguments(beside: arguments) { !isAdd || $0.isAdded }
        return CommandArguments.completed(Array(arguments.prefix(1)) + added + arguments.dropFirst())
    }

    /// Help and version are thrown by the parser like errors; real ones become one line.
    private static func response(_ error: any Error, to arguments: [String]) -> Int32 {
        guard !HaulCommand.exitCode(for: error).isSuccess else {
            OutputFile.standardOutput.write(HaulCommand.fullMessage(for: error) + "\n")
            return ExitCode.complete.rawValue
        }
        let (message, command) = (HaulCommand.message(for: error), command(of: arguments))
        let line = misspelt(arguments) ?? UsageMessage.line(message, command: command, arguments: arguments)
        complain(line)
        if message.hasPrefix("Unknown option ") {
            let hints = UsageMessage.further(
                after: line, command: command, arguments: arguments, known: options(of: arguments))
            for hint in hints { complain(hint) }
        }
        return ExitCode.invalidRequest.rawValue
    }

    /// The command that the arguments begin with, such as `daemon status`; nil if they begin with something else.
    package static func command(of arguments: [String]) -> String? {
        let names = path(arguments).names
        return names.isEmpty ? nil : names.joined(separator: " ")
    }

    /// The options of the command that the arguments begin with.
    static func options(of arguments: [String]) -> Set<String> {
        var command: any ParsableCommand.Type = HaulCommand.self
        for name in path(arguments).names {
            command = command.configuration.subcommands.first { $0._commandName == name } ?? command
        }
        return command.optionNames
    }

    /// The commands that the arguments begin with, and those that may follow.
    private static func path(_ arguments: [String]) -> (names: [String], following: [any ParsableCommand.Type]) {
        var names: [String] = []
        var known = HaulCommand.configuration.subcommands
        for argument in arguments {
            guard let next = known.first(where: { $0._commandName == argument }) else { break }
            names.append(argument)
            known = next.configuration.subcommands
        }
        return (names, known)
    }

    /// The message about an argument that should be a command, such as the second of `haul daemon stauts`; nil if
    /// all of them are known.
    package static func misspelt(_ arguments: [String]) -> String? {
        let (names, following) = path(arguments)
        guard !following.isEmpty, let text = arguments.dropFirst(names.count).first, !text.hasPrefix("-"),
            text != "help" || !names.isEmpty
        else { return nil }
        let nearest = CommandSuggestion.command(for: text, among: following.map { $0._commandName })
        let whole = { (names + [$0]).joined(separator: " ") }
        return UsageMessage.noCommand(whole(text), suggestion: nearest.map(whole))
    }

    /// What `haul help` was asked about and is not a command; nil for anything else.
    package static func unknownTopic(of arguments: [String]) -> String? {
        guard arguments.first == "help", let topic = arguments.dropFirst().first, !topic.hasPrefix("-") else {
            return nil
        }
        return command(of: Array(arguments.dropFirst())) == nil && topic != "help" ? topic : nil
    }

    private static func suggestion(for text: String) -> String? {
        CommandSuggestion.command(for: text, among: HaulCommand.configuration.subcommands.map { $0._commandName })
    }

    private static func complain(_ message: String, excerpt: [String] = []) {
        let lines = ["haul: \(message)"] + excerpt
        OutputFile.standardError.write(lines.map { TerminalText.printable($0) + "\n" }.joined())
    }
}

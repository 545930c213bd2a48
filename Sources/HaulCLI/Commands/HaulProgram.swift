import ArgumentParser
import HaulCore

/// The program from its arguments to its exit code.
package enum HaulProgram {
    /// Parses the arguments, runs the command, and returns the number to exit with (see `ExitCode`).
    package static func run(arguments: [String]) async -> Int32 {
        do {
            var command = try HaulCommand.parseAsRoot(arguments)
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            return ExitCode.complete.rawValue
        } catch let problems as InvalidOptions {
            for message in problems.messages { complain(message) }
            return ExitCode.invalidRequest.rawValue
        } catch let code as ArgumentParser.ExitCode {
            return code.rawValue
        } catch {
            return answer(error, to: arguments)
        }
    }

    /// Help and version are thrown by the parser like errors; real ones become one line.
    private static func answer(_ error: any Error, to arguments: [String]) -> Int32 {
        guard !HaulCommand.exitCode(for: error).isSuccess else {
            OutputFile.standardOutput.write(HaulCommand.fullMessage(for: error) + "\n")
            return ExitCode.complete.rawValue
        }
        let command = command(of: arguments)
        if let first = arguments.first, !first.hasPrefix("-"), command == nil, first != "help" {
            complain(UsageMessage.noCommand(first))
        } else {
            complain(UsageMessage.line(HaulCommand.message(for: error), command: command))
        }
        return ExitCode.invalidRequest.rawValue
    }

    /// The command that the arguments begin with, as `daemon status`; nil where they begin with none.
    package static func command(of arguments: [String]) -> String? {
        var names: [String] = []
        var known = HaulCommand.configuration.subcommands
        for argument in arguments {
            guard let next = known.first(where: { $0._commandName == argument }) else { break }
            names.append(argument)
            known = next.configuration.subcommands
        }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }

    private static func complain(_ message: String) {
        OutputFile.standardError.write("haul: \(TerminalText.printable(message))\n")
    }
}

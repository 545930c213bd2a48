import ArgumentParser
import HaulCore

/// The program from its arguments to its exit code.
package enum HaulProgram {
    /// Parses the arguments, runs the command, and returns the number to exit with (see `ExitCode`).
    package static func run(arguments: [String]) async -> Int32 {
        do {
            var command = try parse(arguments)
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

    /// A command that is named first and understood is not looked for from the root: that would take longer than a small file does.
    ///
    /// What it does not understand, help among it, is the root's to answer.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        if let name = arguments.first,
            let command = HaulCommand.configuration.subcommands.first(where: { $0._commandName == name }),
            let parsed = try? command.parseAsRoot(Array(arguments.dropFirst())), type(of: parsed) == command
        {
            return parsed
        }
        return try HaulCommand.parseAsRoot(arguments)
    }

    /// Help and version are thrown by the parser like errors; real ones become one line.
    private static func answer(_ error: any Error, to arguments: [String]) -> Int32 {
        guard !HaulCommand.exitCode(for: error).isSuccess else {
            OutputFile.standardOutput.write(HaulCommand.fullMessage(for: error) + "\n")
            return ExitCode.complete.rawValue
        }
        let known = HaulCommand.configuration.subcommands.map { $0._commandName }
        let command = arguments.first.flatMap { known.contains($0) ? $0 : nil }
        complain(UsageMessage.line(HaulCommand.message(for: error), command: command))
        return ExitCode.invalidRequest.rawValue
    }

    private static func complain(_ message: String) {
        OutputFile.standardError.write("haul: \(TerminalText.printable(message))\n")
    }
}

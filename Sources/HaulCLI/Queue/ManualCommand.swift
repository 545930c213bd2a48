import ArgumentParser
import HaulClient
import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `haul manual`.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print the manual page.",
        discussion: "To read it: haul manual | man -l -. That of one command: haul manual get | man -l -")

    @Argument(help: ArgumentHelp("A command, such as get or daemon run; all if none is given.", valueName: "command"))
    var command: [String] = []

    func run() throws {
        do throws(DownloadError) {
            OutputFile.standardOutput.write(
                try ManualPage.text(dump: HaulCommand._dumpHelp(), version: Version.current, of: command))
        } catch {
            var problems = InvalidOptions()
            problems.add(error.description)
            throw problems
        }
    }
}

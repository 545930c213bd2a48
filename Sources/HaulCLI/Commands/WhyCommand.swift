import ArgumentParser
import HaulCore

/// `haul why`: tells what limits, or limited, the downloads of a `haul get`.
struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show what limits the speed of a running or finished `haul get`.",
        discussion: """
            Each `haul get` that takes a second or more writes a record to
            $XDG_STATE_HOME/haul/why (~/.local/state/haul/why); the newest 20 are kept.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Process ID of a `haul get`, or the file of a record. The default is the newest.", valueName: "get"),
        completion: .file())
    var which: String?

    @Flag(help: "Show all recorded downloads, not only the five that took longest.")
    var all = false

    @Flag(help: OptionHelp.json)
    var json = false

    func run() throws {
        do throws(DownloadError) {
            let record = try find()
            let isRunning = !record.isOver && WhyFolder.isAlive(record.process)
            OutputFile.standardOutput.write(try text(record, isRunning: isRunning))
        } catch {
            var problems = InvalidOptions()
            problems.add(error.description)
            throw problems
        }
    }

    private func find() throws(DownloadError) -> GetRecord {
        if let which, Int32(which) == nil || which.contains("/") { return try WhyFolder.record(at: which) }
        guard let folder = WhyFolder(.process) else {
            throw DownloadError(.invalidRequest, "neither XDG_STATE_HOME nor HOME is set: give the file of a record")
        }
        return try folder.record(ofProcess: which.flatMap { Int32($0) })
    }

    private func text(_ record: GetRecord, isRunning: Bool) throws(DownloadError) -> String {
        guard json else {
            var style = TerminalEnvironment.process.style
            style.colour = style.colour && OutputFile.standardOutput.isTerminal
            return WhyText(record, isRunning: isRunning, showsAll: all, style: style).text
        }
        do {
            return try WhyFolder.text(WhyJSON(record, isRunning: isRunning))
        } catch {
            throw DownloadError(.internal, "can't write the record as JSON")
        }
    }
}

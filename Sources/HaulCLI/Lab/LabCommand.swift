import ArgumentParser
import HaulCore
import HaulTesting

/// `haul lab`: serves the faults of servers that Haul is tested with.
struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Serve faults: servers that cut, lie, redirect and violate the standards, to test any client.",
        discussion: """
            Each case has a server of its own at 127.0.0.1, until Ctrl-C. Its line shows
            the URL and the required result: the right bytes under the right name, or an
            error.

            "once" marks cases whose fault only the first requests get: to see it again,
            start haul lab again.

            With --json, each case is one line: case, url, and expected with file, bytes
            and sha256, or with error and exitCode of haul get; "once": true marks it.
            """
    )

    @Argument(help: ArgumentHelp("Text in the name of a case; all cases if none is given.", valueName: "case"))
    var names: [String] = []

    @Flag(help: "List the cases without serving them.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "Port of the first case, the next one has the following port. The default is any free one.",
            valueName: "port"))
    var port: UInt16?

    @Flag(help: OptionHelp.json)
    var json = false

    func run() async throws {
        let wanted = names.map { $0.lowercased() }
        let cases = SloppyCase.everything.filter { item in
            wanted.isEmpty || wanted.contains { item.description.lowercased().contains($0) }
        }
        guard !cases.isEmpty else { throw Self.problem("no case has this text in its name: haul lab --list shows all") }
        var servers: [FaultServer] = []
        var lines: [LabLine] = []
        for (number, item) in cases.enumerated() {
            var url: String?
            if !list {
                do {
                    let server = try await FaultServer.start(item.resources, port: try port(number))
                    servers.append(server)
                    url = server.url(item.path)
                } catch let problem as InvalidOptions {
                    throw problem
                } catch {
                    throw Self.problem("can't serve \(item): \(error)")
                }
            }
            lines.append(try LabLine(item, url: url))
        }
        let output = OutputFile.standardOutput
        let text = try json ? LabLine.json(lines) : LabLine.table(lines, wholeDigests: !output.isTerminal)
        guard !list else {
            output.write(text)
            return
        }
        let reason = await Self.signal { output.write(text) }
        for server in servers { await server.stop() }
        if let reason { throw ArgumentParser.ExitCode(reason.exitCode.rawValue) }
    }

    /// Waits for a signal, also for an interrupt that a shell has made a process in the background ignore.
    ///
    /// - Parameter ready: Called first.
    private static func signal(after ready: () -> Void) async -> StopReason? {
        let (reasons, first) = AsyncStream.makeStream(of: StopReason.self, bufferingPolicy: .bufferingOldest(1))
        let signals = SignalWatcher(overridesIgnored: true)
        signals.start(stop: { first.yield($0) }, resumed: {})
        defer { signals.end() }
        ready()
        return await reasons.first { _ in true }
    }

    /// Returns the port of a case; 0 for any free one.
    private func port(_ number: Int) throws -> UInt16 {
        guard let port else { return 0 }
        guard let next = UInt16(exactly: Int(port) + number) else { throw Self.problem("there is no port after 65535") }
        return next
    }

    private static func problem(_ text: String) -> InvalidOptions {
        var problems = InvalidOptions()
        problems.add(text)
        return problems
    }
}

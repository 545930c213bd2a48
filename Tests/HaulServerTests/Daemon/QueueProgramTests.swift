import Foundation
import HaulClient
import HaulCore
import HaulTestTraits
import HaulTesting
import HaulWire
import Testing

@Suite(
    "The commands of the list as programs", .usesSockets, .enabled(if: DaemonProcess.isBuilt), .timeLimit(.minutes(5)))
struct QueueProgramTests {
    /// Starts the program.
    private func start(_ home: DaemonHome, _ arguments: [String], input: Pipe? = nil, output: Pipe) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: DaemonProcess.program)
        process.arguments = arguments
        process.environment = ["HOME": home.folder.path, "HAUL_SOCKET": home.socket]
        if let input { process.standardInput = input } else { process.standardInput = FileHandle.nullDevice }
        process.standardOutput = output
        process.standardError = try home.log()
        try process.run()
        return process
    }

    private func status(_ process: Process) async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }

    @Test("numbers that are not in the list are reported by haul list, and many numbers keep the order of the queue")
    func list() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let environment = ["HAUL_SOCKET": home.socket]
        let urls = (1...4).map { "http://h.test/\($0)" }
        #expect(try await home.run(["add", "--paused"] + urls, environment).status == 0)
        let missing = try await home.run(["list", "99999"], environment)
        #expect(missing.status == 21 && missing.output.isEmpty, "\(missing.error)")
        #expect(missing.error.hasPrefix("haul: download 99999 does not exist"), "\(missing.error)")
        #expect(try await home.run(["move", "2-9", "top"], environment).status == 21)
        let many = try await home.run(["list", "1-5000", "--limit", "3", "--json"], environment)
        #expect(many.status == 21 && many.error.hasPrefix("haul: downloads 5-5000 do not exist"), "\(many.error)")
        let ids = many.output.split(separator: "\n").map { line in
            urls.firstIndex { line.contains("\"\($0)\"") }.map { $0 + 1 }
        }
        #expect(ids == [2, 3, 4], "\(many.output)")
        #expect(await daemon.stop() == 0)
    }

    @Test("an entry that the daemon does not support fails with the number of its line, and the others are added")
    func entry() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let environment = ["HAUL_SOCKET": home.socket]
        let list = home.folder.path + "/list"
        let text = "http://h.test/1\nhttp://h.test/2\n partial-folder=/tmp\nhttp://h.test/3\n"
        try Data(text.utf8).write(to: URL(filePath: list))
        let end = try await home.run(["add", "--paused", "-i", list], environment)
        #expect(end.status == 2 && end.output.split(separator: "\n").count == 2, "\(end.output)")
        #expect(end.error.hasPrefix("haul: \(list), line 2: http://h.test/2: "), "\(end.error)")
        #expect(await daemon.stop() == 0)
    }

    @Test("an empty password file of a host is an error, as with haul get")
    func password() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let (configuration, secret) = (home.folder.path + "/config.toml", home.folder.path + "/secret")
        try Data().write(to: URL(filePath: secret))
        let text = "[host.\"h.test\"]\nuser = \"me\"\npassword-file = \"\(secret)\"\n"
        try Data(text.utf8).write(to: URL(filePath: configuration))
        let end = try await home.run(
            ["add", "--paused", "--config", configuration, "http://h.test/1"], ["HAUL_SOCKET": home.socket])
        #expect(end.status == 2 && end.error.contains("the password file, \(secret), must contain"), "\(end.error)")
        #expect(await daemon.stop() == 0)
    }

    @Test("the lines of a list that is still written are added")
    func openList() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let (input, output) = (Pipe(), Pipe())
        let process = try start(home, ["add", "--paused", "-i", "-"], input: input, output: output)
        try input.fileHandleForWriting.write(contentsOf: Data("http://h.test/1\nhttp://h.test/2\n".utf8))
        let client = home.client
        for try await event in client.events(interval: .milliseconds(100), progress: false, summary: true) {
            guard case .summary(let summary) = event else { continue }
            if summary.counts[DownloadState.Kind.paused.rawValue] == 2 { break }
        }
        #expect(process.isRunning)
        try input.fileHandleForWriting.close()
        #expect(await status(process) == 0)
        await client.close()
        #expect(await daemon.stop() == 0)
    }

    @Test("haul watch --json ends when nobody reads it any more")
    func closedReader() async throws {
        try await FaultServer.run(["/f": .text("").script { _ in .silence() }]) { server in
            let home = try DaemonHome()
            let daemon = try DaemonProcess(home)
            #expect(try await home.run(["add", server.url("/f")], ["HAUL_SOCKET": home.socket]).status == 0)
            let output = Pipe()
            try output.fileHandleForReading.close()
            let process = try start(home, ["watch", "1", "--json", "--follow"], output: output)
            #expect(await status(process) == 141, "\(home.logged)")
            #expect(await daemon.stop() == 0)
        }
    }
}

import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("The log file") struct LogFileTests {
    @Test("each line has the time") func stamps() {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(LogFile.stamped("a\nb c\n", at: time) == "2023-11-14T22:13:20Z a\n2023-11-14T22:13:20Z b c\n")
        #expect(LogFile.stamped("", at: time).isEmpty)
    }

    @Test("it is appended to") func appends() throws {
        let folder = try TemporaryFolder()
        try folder.put(Array("before\n".utf8), "log")
        let log = try LogFile(path: folder.path + "/log")
        #expect(log.append("a\n", at: Date(timeIntervalSince1970: 0)))
        #expect(folder.bytes("log") == Array("before\n1970-01-01T00:00:00Z a\n".utf8))
    }

    @Test("one that was renamed, replaced or removed: the next line goes to a new file of the name") func rotated()
        throws
    {
        let folder = try TemporaryFolder()
        let log = try LogFile(path: folder.path + "/log")
        let time = Date(timeIntervalSince1970: 0)
        let stamp = "1970-01-01T00:00:00Z"
        #expect(log.append("a\n", at: time))
        try FileManager.default.moveItem(atPath: folder.path + "/log", toPath: folder.path + "/log.1")
        #expect(log.append("b\n", at: time) && log.append("c\n", at: time))
        #expect(folder.bytes("log.1") == Array("\(stamp) a\n".utf8))
        #expect(folder.bytes("log") == Array("\(stamp) b\n\(stamp) c\n".utf8))
        try FileManager.default.moveItem(atPath: folder.path + "/log", toPath: folder.path + "/log.2")
        try folder.put(Array("made by logrotate\n".utf8), "log")
        #expect(log.append("d\n", at: time))
        #expect(folder.bytes("log") == Array("made by logrotate\n\(stamp) d\n".utf8))
        try FileManager.default.removeItem(atPath: folder.path + "/log")
        #expect(log.append("e\n", at: time))
        #expect(folder.bytes("log") == Array("\(stamp) e\n".utf8))
    }

    @Test("one that can't be opened is named") func refused() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: DownloadError.self) { try LogFile(path: folder.path + "/no/log") }
        #expect(error?.code == .fileFailed && error?.message.contains("/no/log") == true)
    }

    @Test(
        "the program: one line per file on the screen, everything in the log; URL, reason and line of what fails",
        .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
    func program() async throws {
        let content = Resource.file(seed: 5, size: 1000)
        try await FaultServer.run(["/f": content]) { server in
            let folder = try TemporaryFolder()
            try folder.put(Array("\(server.url("/f"))\n\(server.url("/none"))\n".utf8), "urls.txt")
            let arguments = ["get", "-i", "urls.txt", "--verbosity", "line", "--log-file", "log"]
            let end = try await BuiltProgram.run(arguments, in: folder)
            #expect(end.status == 3 && folder.bytes("f") == content.allBytes)
            let lines = end.error.split(separator: "\n").sorted()
            #expect(lines.count == 2 && lines[0].hasPrefix("f  1000 B in "), "\(end.error)")
            let failure =
                "haul: urls.txt, line 2: none: the server returned 404 Not Found: check the URL <\(server.url("/none"))>"
            #expect(lines.last.map(String.init) == failure, "\(end.error)")
            let log = String(decoding: folder.bytes("log") ?? [], as: UTF8.self).split(separator: "\n")
            #expect(log.contains { $0.hasSuffix("f  started, 1000 B") } && log.contains { $0.hasSuffix(failure) })
            #expect(log.allSatisfy { $0.hasPrefix("20") && $0.dropFirst(19).hasPrefix("Z ") }, "\(log)")
        }
    }
}

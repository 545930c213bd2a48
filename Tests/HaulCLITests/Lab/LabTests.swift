import Foundation
import HaulTesting
import Testing

@Suite("The lab of faults", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(2)))
struct LabTests {
    @Test("the list has every case once, with its required result")
    func list() async throws {
        let folder = try TemporaryFolder()
        let text = try await BuiltProgram.run(["lab", "--list"], in: folder)
        #expect(text.status == 0 && text.output.split(separator: "\n").count == SloppyCase.everything.count)
        let json = try await BuiltProgram.run(["lab", "--list", "--json", "redirect loop"], in: folder)
        #expect(
            json.output == #"{"case":"faults: redirect loop","expected":{"error":"redirectRefused","exitCode":12}}"#
                + "\n")
    }

    @Test("a case that does not exist is an error")
    func unknown() async throws {
        let end = try await BuiltProgram.run(["lab", "no such case"], in: try TemporaryFolder())
        #expect(end.status == 2 && end.error.contains("haul lab --list"))
    }

    @Test("a case is served until the process ends")
    func served() async throws {
        let process = Process()
        process.executableURL = URL(filePath: BuiltProgram.path)
        process.arguments = ["lab", "--json", "cut in the head"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while !line.contains(10), case let more = output.fileHandleForReading.availableData, !more.isEmpty {
            line += more
        }
        struct Line: Decodable { let url: String }
        let url = try JSONDecoder().decode(Line.self, from: line).url
        let folder = try TemporaryFolder()
        let end = try await BuiltProgram.run(["get", "--no-config", "-o", "f", url], in: folder)
        process.terminate()
        process.waitUntilExit()
        #expect(end.status == 0)
        let isRight = folder.bytes("f") == SloppyCase.faultyFile.allBytes
        #expect(isRight)
    }
}

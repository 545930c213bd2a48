import Foundation
import HaulCore
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

    @Test("cases whose fault occurs only once are marked, and digests are whole unless a person reads them")
    func marks() async throws {
        let folder = try TemporaryFolder()
        let names = ["cut in the head", "long body"]
        let text = try await BuiltProgram.run(["lab", "--list"] + names, in: folder)
        let digest = try Digests.sha256(SloppyCase.faultyFile.allBytes).hex
        let lines = text.output.split(separator: "\n")
        try #require(lines.count == 2, "\(text.output)")
        #expect(lines[0].hasSuffix(" sha256 \(digest), once") && lines[1].hasSuffix(" sha256 \(digest)"))
        let json = try await BuiltProgram.run(["lab", "--list", "--json"] + names, in: folder)
        #expect(json.output.split(separator: "\n").map { $0.contains(#""once":true"#) } == [true, false])
    }

    @Test("it ends with an interrupt, also if the shell that started it in the background made it ignore that")
    func interrupted() async throws {
        let script = #"""
            "$0" lab "cut in the head" > lines & pid=$!
            until test -s lines; do sleep 0.02; done
            while kill -INT $pid 2> /dev/null; do sleep 0.1; done
            wait $pid; echo $?
            """#
        let end = try await BuiltProgram.run(
            ["-c", script, BuiltProgram.path], in: try TemporaryFolder(), program: "/bin/sh")
        #expect(end.output == "130\n", "\(end.error)")
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

import Foundation
import HaulTesting
import Testing

/// The random run in its short form; `make soak` runs it for any length of time.
@Suite("The random run with its model", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
struct SoakTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Scripts/soak").standardizedFileURL.path

    @Test("Every finished file is one version, and nothing else is left behind") func short() async throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", Self.script, "--short", "--haul", BuiltProgram.path, "--folder", folder.path,
        ]
        _ = FileManager.default.createFile(atPath: folder.path + "/output", contents: nil)
        let output = FileHandle(forWritingAtPath: folder.path + "/output")
        process.standardOutput = output
        process.standardError = output
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let report = try String(contentsOfFile: folder.path + "/output", encoding: .utf8)
        // In one line, so that a log that is searched for failures has it.
        let reported = report.split(separator: "\n").joined(separator: " | ")
        #expect(status == 0 && report.contains(" 0 corrupt, 0 failures"), "\(reported)")
    }
}

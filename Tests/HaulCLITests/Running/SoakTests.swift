import Foundation
import HaulTesting
import Testing

/// The long random run in its short form: `make soak` runs it for as long as it is told.
@Suite("The random run with its model", .enabled(if: SoakTests.isBuilt), .timeLimit(.minutes(5)))
struct SoakTests {
    /// The program that was built beside the tests.
    static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "haul").path
    /// Whether it was.
    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Scripts/soak").standardizedFileURL.path

    @Test func everyFinishedFileIsOneVersion() async throws {
        let folder = try TemporaryFolder()
        let output = folder.path + "/output"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Self.script, "--short", "--haul", Self.program, "--folder", folder.path]
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = process.standardOutput
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let said = try String(contentsOfFile: output, encoding: .utf8)
        #expect(status == 0, "\(said)")
        #expect(said.contains(" 0 corrupt, 0 failures"), "\(said)")
    }
}

import Foundation
import HaulTesting

/// The program that was built beside the tests.
enum BuiltProgram {
    static let path = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "haul").path
    static var exists: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// How a run ended.
    struct End: Sendable {
        let status: Int32
        let output: String
        let error: String
    }

    /// Runs the program to its end in a folder, which is its home as well.
    static func run(
        _ arguments: [String], in folder: TemporaryFolder, input: String? = nil, program: String = path
    ) async throws -> End {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        // What a sanitizer of threads needs goes on to the program.
        process.environment = ProcessInfo.processInfo.environment.filter {
            ["LD_PRELOAD", "TSAN_OPTIONS"].contains($0.key)
        }
        .merging(["HOME": folder.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]) { $1 }
        process.currentDirectoryURL = URL(filePath: folder.path)
        let streams = try TemporaryFolder()
        let (output, error, text) = (streams.path + "/out", streams.path + "/err", streams.path + "/in")
        for path in [output, error] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        _ = FileManager.default.createFile(atPath: text, contents: input.map { Data($0.utf8) })
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: error)
        process.standardInput = FileHandle(forReadingAtPath: text)
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return End(
            status: status, output: try String(contentsOfFile: output, encoding: .utf8),
            error: try String(contentsOfFile: error, encoding: .utf8))
    }
}

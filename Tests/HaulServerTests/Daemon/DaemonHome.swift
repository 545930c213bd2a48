import Foundation
import HaulClient
import HaulCore
import HaulTesting
import Testing

/// What stays of a daemon when it is gone.
struct DaemonHome: Sendable {
    let folder: TemporaryFolder
    var root: String { folder.path + "/root" }
    var socket: String { folder.path + "/run/d.sock" }
    var state: String { folder.path + "/state" }
    var configuration: String { folder.path + "/daemon.toml" }

    init(_ configuration: String = "") throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try configure(configuration)
    }

    func configure(_ text: String) throws {
        let standard = text.contains("roots") ? "" : "roots = [\"\(root)\"]\n"
        try Data((standard + text).utf8).write(to: URL(filePath: configuration))
    }

    /// Makes a folder beside the others, and returns its path.
    func makeFolder(_ name: String) throws -> String {
        let path = folder.path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    var arguments: [String] { ["--config", configuration, "--state-folder", state, "--socket", socket] }

    var client: DaemonClient { DaemonClient(.unix(path: socket)) }

    func log() throws -> FileHandle {
        let path = folder.path + "/log"
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        return file
    }

    var logged: String { (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "" }

    /// Runs the program to its end.
    func run(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, error: String) {
        let process = Process()
        process.executableURL = URL(filePath: DaemonProcess.program)
        process.arguments = arguments
        process.environment = ["HOME": folder.path].merging(environment) { $1 }
        let (output, error) = (folder.path + "/out", folder.path + "/err")
        for path in [output, error] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: error)
        try process.run()
        let status: Int32 = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
        return (
            status, try String(contentsOfFile: output, encoding: .utf8),
            try String(contentsOfFile: error, encoding: .utf8)
        )
    }
}

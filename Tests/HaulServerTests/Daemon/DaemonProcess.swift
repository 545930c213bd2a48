import Foundation
import HaulClient
import HaulCore
import HaulServer
import HaulTesting
import Testing

/// The real program as a daemon, over a folder of its own that outlives it.
final class DaemonProcess: Sendable {
    /// The program that was built beside the tests.
    static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "haul").path
    /// Whether it was.
    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }

    let home: DaemonHome
    private let process: Process

    /// Starts it, and returns when it says that it is ready.
    init(_ home: DaemonHome, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        self.home = home
        let ready = try NotifySocket(path: home.folder.path + "/n\(UInt32.random(in: 0...UInt32.max))")
        process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["daemon", "run"] + home.arguments + arguments
        process.environment = ["HOME": home.folder.path, "NOTIFY_SOCKET": ready.path].merging(environment) { $1 }
        process.standardError = try home.log()
        try process.run()
        while !ready.next().contains("READY=1") {}
    }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for its end.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationReason == .exit ? process.terminationStatus : -1)
            }
        }
    }

    /// Has it leave, and says how it ended.
    func stop() async -> Int32 {
        signal(SIGTERM)
        return await end()
    }

    var pid: Int32 { process.processIdentifier }
}

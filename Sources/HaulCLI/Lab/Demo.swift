import ArgumentParser
import HaulCore
import HaulLibC
import HaulProcesses
import HaulTesting

/// `haul demo`: shows a download that is killed halfway, resumed and verified, from a server of its own.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a download that is killed halfway, resumed and verified.",
        discussion: """
            Everything happens on this machine: the file comes from a server at 127.0.0.1
            that ends with the demonstration, and is saved in a temporary folder.
            """,
        shouldDisplay: false
    )

    func run() async throws {
        do {
            try await Demo.show()
        } catch {
            OutputFile.standardError.write("haul: the demonstration failed: \(error)\n")
            throw ArgumentParser.ExitCode.failure
        }
    }
}

/// The steps of `haul demo`, each with a short line.
enum Demo {
    /// A reason why the demonstration could not go on.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private static let name = "sample.iso"
    private static let size: Int64 = 48 << 20
    private static let connections = 4
    /// Per connection: slow enough to be watched.
    private static let rate: Int64 = 3 << 19
    private static let showCursor = "\u{1B}[?25h"

    static func show() async throws {
        let folder = try TemporaryFolder()
        let file = Resource.file(seed: 1, size: size).script { _ in .throttle(rate) }
        let digest = try Digests.sha256(file.allBytes).hex
        try await FaultServer.run(["/\(name)": file]) { server in
            let options = [
                "get", "--connections", "\(connections)", "--checksum", "sha256:\(digest)", "--directory", folder.path,
                server.url("/\(name)"),
            ]
            say(
                "A server on this machine offers \(name), \(inMiB(size)), at \(inMiB(rate)) a second per connection. "
                    + "Haul uses \(connections):")
            try await killHalfway(options, server)
            let before = server.totalBodyBytes
            say("Killed with SIGKILL after \(inMiB(before)). These files are left:")
            for name in folder.names { say("    \(name)", isStep: false) }
            say("The same command again:")
            let child = try Child(options)
            guard await child.end() == 0 else { throw Problem(description: "the second run failed") }
            let twice = max(0, try await server.settled().totalBodyBytes - size)
            say(
                "Done. The second run received the missing \(inMiB(server.totalBodyBytes - before)); "
                    + "\(twice >> 10) KiB of all were sent twice.")
        }
        guard folder.bytes(name) == file.allBytes else { throw Problem(description: "the file is wrong") }
        say("Verified: SHA-256 \(digest.prefix(16))... is that of the server's file. Now with a file of yours:")
        say("    haul https://example.org/file.iso", isStep: false)
    }

    private static func killHalfway(_ options: [String], _ server: FaultServer) async throws {
        let child = try Child(options)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.until { $0.totalBodyBytes >= size / 2 } }
            tasks.addTask { _ = await child.end() }
            try await tasks.next()
            tasks.cancelAll()
        }
        guard child.end(by: SIGKILL), await child.end() != 0 else {
            throw Problem(description: "the download ended before it could be killed")
        }
        // The killed program could not do this.
        if OutputFile.standardError.isTerminal { OutputFile.standardError.write(showCursor + "\n") }
    }

    private static func inMiB(_ bytes: Int64) -> String { ByteCount.string(bytes) }

    private static func say(_ text: String, isStep: Bool = true) {
        OutputFile.standardOutput.write((isStep ? "\n==> " : "") + text + "\n")
    }
}

extension Demo {
    /// This program, started again with other arguments, on the same terminal.
    private struct Child: Sendable {
        let pid: pid_t

        init(_ arguments: [String]) throws {
            // Unsafe: the words are made and freed here; the call copies them.
            var words: [UnsafeMutablePointer<CChar>?] = unsafe (["haul"] + arguments).map { unsafe strdup($0) } + [nil]
            defer { unsafe words.forEach { unsafe free($0) } }
            var pid: pid_t = 0
            let result = unsafe posix_spawn(&pid, ProgramPath.own, nil, nil, &words, environ)
            guard result == 0 else {
                throw Problem(description: "can't start \(ProgramPath.own): error \(result)")
            }
            self.pid = pid
        }

        /// Sends a signal; returns false if the process had ended.
        func end(by signal: Int32) -> Bool { kill(pid, signal) == 0 }

        /// Waits until the process has ended, and returns its status; nil if the task is cancelled first.
        func end() async -> Int32? {
            var status: Int32 = 0
            // Polled: a thread that waits could not be cancelled. Unsafe: the kernel fills a value that outlives the call.
            while unsafe waitpid(pid, &status, WNOHANG) == 0 {
                guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return nil }
            }
            return status
        }
    }
}

import Foundation
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct OutputFileTests {
    @Test func allOfALongTextArrives() async throws {
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        // A pipe holds 64 KiB: the write needs several rounds, and with O_NONBLOCK waits for room in between.
        #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let text = String(repeating: "0123456789ü", count: 50_000)
        let descriptor = ends[1]
        async let written = Self.write(text, to: descriptor)
        let read = try reader.read(upToCount: text.utf8.count)
        var all = read ?? Data()
        while all.count < text.utf8.count, let more = try reader.read(upToCount: 65_536) { all += more }
        #expect(await written)
        #expect(String(decoding: all, as: UTF8.self) == text)
        close(descriptor)
    }

    @concurrent private static func write(_ text: String, to descriptor: Int32) async -> Bool {
        OutputFile(descriptor: descriptor).write(text)
    }

    @Test func aClosedReaderIsNoticed() {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        close(ends[0])
        #expect(!OutputFile(descriptor: ends[1]).write("x"))
        #expect(OutputFile(descriptor: ends[1]).write(""))
        #expect(!OutputFile(descriptor: ends[1]).isTerminal && OutputFile(descriptor: ends[1]).window == nil)
        close(ends[1])
    }

    @Test(
        "a command whose output is lost fails, unless it downloads something", .enabled(if: BuiltProgram.exists),
        .usesSockets, arguments: [("verify f", 18), ("--version", 18), ("get -d d \"$1\"", 0)] as [(String, Int32)])
    func lost(command: String, status: Int32) async throws {
        let resource = Resource.file(seed: 5, size: 3000)
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            try folder.put(resource.allBytes, "f")
            let checksum = try Digests.sha256(resource.allBytes).hex
            let words = command.replacing("verify f", with: "verify f --checksum sha256:\(checksum)")
            let end = try await BuiltProgram.run(
                ["-c", "exec \"$0\" \(words) > /dev/full", BuiltProgram.path, server.url("/f")], in: folder,
                program: "/bin/sh")
            #expect(end.status == status, "\(end.error)")
            #expect(end.error.contains("can't write to standard output") == (status != 0))
        }
    }

    @Test("lost events are reported, and do not stop the downloads", .enabled(if: BuiltProgram.exists), .usesSockets)
    func lostEvents() async throws {
        // It lasts until the first events have been written.
        let resource = Resource.file(seed: 5, size: 300_000).script { _ in .throttle(300_000) }
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(
                ["-c", "exec \"$0\" get --json \"$1\" > /dev/full", BuiltProgram.path, server.url("/f")], in: folder,
                program: "/bin/sh")
            #expect(end.status == 0 && folder.bytes("f") == resource.allBytes, "\(end.error)")
            let message = "haul: can't write to standard output: "
            #expect(end.error.hasPrefix(message) && end.error.ranges(of: message).count == 1, "\(end.error)")
        }
    }
}

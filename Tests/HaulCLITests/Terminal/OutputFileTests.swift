import Foundation
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
}

import Foundation
import HaulCore
import Testing

@testable import HaulCLI

@Suite struct ListReaderTests {
    /// The lines of each reading, to the end.
    private func readings(_ text: String) async throws -> [[LineSplitter.Line]] {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lines-\(UUID()).txt").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let reader = try ListReader(path: path)
        var readings: [[LineSplitter.Line]] = []
        while case .lines(let lines) = try await reader.next() { readings.append(lines) }
        return readings
    }

    @Test(arguments: [0, 1, 2, 63, 64, 65, 128, 1000]) func linesComeInPortionsAndInOrder(count: Int) async throws {
        let lines = (0..<count).map { "line \($0)" }
        for text in [lines.map { $0 + "\n" }.joined(), lines.joined(separator: "\n")] {
            let readings = try await readings(text)
            #expect(readings.flatMap(\.self) == lines.map { .text($0) })
            #expect(readings.allSatisfy { (1...ListReader.portion).contains($0.count) })
        }
    }

    /// A portion never waits for the lines that would fill it.
    @Test func aLineOfAPipeComesAlone() async throws {
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        let pipe = FileHandle(fileDescriptor: ends[1])
        let reader = try ListReader(path: "/dev/fd/\(ends[0])")
        for text in ["one", "two"] {
            try pipe.write(contentsOf: Data("\(text)\n".utf8))
            #expect(try await reader.next() == .lines([.text(text)]))
        }
        try pipe.write(contentsOf: Data("three\nfour\nfi".utf8))
        #expect(try await reader.next() == .lines([.text("three"), .text("four")]))
        #expect(try await reader.next(.none) == .idle)
        #expect(try await reader.next(.moment) == .idle)
        try pipe.close()
        #expect(try await reader.next() == .lines([.text("fi")]))
        #expect(try await reader.next() == .end)
    }
}

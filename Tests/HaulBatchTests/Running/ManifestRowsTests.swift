import Foundation
import HaulBatch
import HaulCore
import HaulLibC
import HaulTesting
import Testing

@testable import HaulBatchRun

@Suite struct ManifestRowsTests {
    /// A manifest that is read in several pieces.
    private static let lines = (0..<30_000).map { "http://h/\($0)" }

    enum Change: CaseIterable {
        case nothing, times, added, first, last, shorter

        /// True if rows of the division are others then, or missing.
        var isDifference: Bool { self == .first || self == .last || self == .shorter }
    }

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("manifest.txt")
        try text(Self.lines).write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    }

    private func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

    private func change(_ change: Change) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        switch change {
        case .nothing: break
        case .times:
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 2)], ofItemAtPath: path)
        case .added:
            try file.seekToEnd()
            try file.write(contentsOf: Data("http://h/added\n".utf8))
        case .first: try file.write(contentsOf: Data("http://g/0".utf8))
        case .last:
            let size = try file.seekToEnd()
            try file.seek(toOffset: size - 2)
            try file.write(contentsOf: Data("x".utf8))
        case .shorter: try file.truncate(atOffset: 300_000)
        }
        try file.close()
    }

    private func rows() throws -> ManifestRows { try ManifestRows(path, nil, ManifestColumns()) }

    private func rest(_ rows: inout ManifestRows) async throws -> [String] {
        var urls: [String] = []
        while let portion = try await rows.next() { urls += portion.map(\.url) }
        return urls
    }

    /// The rows were divided among the shards by an earlier look at the manifest, which must still be the same.
    @Test("the rows are those that the division was made for, or it is an error", arguments: Change.allCases)
    func expected(change: Change) async throws {
        var rows = try rows()
        try await rows.start()
        let whole = try #require(try rows.file.start())
        try self.change(change)
        try rows.expect(whole)
        if change.isDifference {
            let error = await #expect(throws: DownloadError.self) { try await rest(&rows) }
            #expect(error?.code == .notPossible && error?.message.contains("was changed while it was read") == true)
        } else {
            #expect(try await rest(&rows) == Self.lines + (change == .added ? ["http://h/added"] : []))
        }
    }

    @Test("a manifest that is no more the one of the division is refused before its last rows are read")
    func replaced() async throws {
        let whole = try #require(try ManifestFile(path).start())
        try change(.first)
        var rows = try rows()
        try await rows.start()
        try rows.expect(whole)
        let error = await #expect(throws: DownloadError.self) { try await rest(&rows) }
        #expect(error?.message.contains("use a new folder") == true)
        // One that is read with the first rows is compared before any of them.
        let small = folder.path("small.txt")
        try text(["http://h/1"]).write(toFile: small, atomically: true, encoding: .utf8)
        var few = try ManifestRows(small, nil, ManifestColumns())
        try await few.start()
        #expect(throws: DownloadError.self) {
            try few.expect(ManifestStart(bytes: 11, sha256: String(repeating: "0", count: 64)))
        }
    }

    private static func rows(of path: String) async throws -> [ManifestRow] {
        var rows = try ManifestRows(path, nil, ManifestColumns())
        var all: [ManifestRow] = []
        while let portion = try await rows.next() { all += portion }
        return all
    }

    @Test(
        "the format of a pipe follows from its first byte that is neither blank nor part of a byte order mark",
        arguments: ["\n", "\u{FEFF}", "\u{FEFF} \r\n"])
    func pipe(start: String) async throws {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        try pipe.fileHandleForWriting.write(contentsOf: Data(start.utf8))
        async let reading = Self.rows(of: path)
        // Until the start alone has been read.
        var state = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&state, 1, 0) > 0 { await Task.yield() }
        try pipe.fileHandleForWriting.write(contentsOf: Data("{\"url\":\"http://h/1\"}\n".utf8))
        try pipe.fileHandleForWriting.close()
        let rows = try await reading
        #expect(rows.map(\.url) == ["http://h/1"] && rows.allSatisfy { $0.problem == nil }, "\(rows)")
    }

    @Test("a manifest without anything but blanks has no rows", arguments: ["", "\n \r\n", "\u{FEFF}"])
    func blank(text: String) async throws {
        let path = folder.path("blank")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try await Self.rows(of: path).isEmpty)
    }

    /// Rows that are read as they are now, whether they are others or fewer, are the manifest.
    @Test("without a division, only a change of rows that were read is an error", arguments: Change.allCases)
    func unexpected(change: Change) async throws {
        var rows = try rows()
        let first = try await rows.next()?.map(\.url) ?? []
        try self.change(change)
        if change == .first {
            await #expect(throws: DownloadError.self) { try await rest(&rows) }
        } else {
            let now = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(try await first + rest(&rows) == now)
        }
    }
}

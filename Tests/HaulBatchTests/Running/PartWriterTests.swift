import Foundation
import HaulBatch
import HaulCore
import HaulFiles
import HaulTesting
import Testing

@testable import HaulBatchRun

@Suite("Writing parts")
struct PartWriterTests {
    private static func row(_ id: String, bytes: Int64, _ content: RowContent) -> FetchedRow {
        var result = RowResult(ManifestRow(number: 1, url: "http://h/\(id)", id: id), .ok)
        (result.bytes, result.sha256) = (bytes, "00")
        return FetchedRow(result: result, content: content, key: id, ending: "bin", host: "h")
    }

    @Test(
        "a part with an incomplete row stays unfinished: the next run continues after its last whole row",
        arguments: [PartFormat.tar, .files])
    func failure(format: PartFormat) async throws {
        let folder = try TemporaryFolder()
        var job = BatchJob(
            manifest: "\(folder.path)/m", folder: "\(folder.path)/out",
            template: DownloadSpec(url: "", destination: .folder(path: ".")))
        job.output = format
        // The copy of the second row ends early, as on a full disk.
        try folder.put([UInt8](repeating: 1, count: 10), "short")
        let output = try OutputFolder(job)
        let writer = PartWriter(job, output, next: 0, count: { _ in }, onFailure: {})
        await writer.add(Self.row("whole", bytes: 3, .memory([1, 2, 3])))
        let short = try SystemCalls.live.open("\(folder.path)/short", .read)
        await writer.add(Self.row("big", bytes: 5 << 20, .file(short)))
        await #expect(throws: DownloadError.self) { try await writer.finish(publishing: true) }
        let names = try FileManager.default.contentsOfDirectory(atPath: job.folder).filter { $0.hasPrefix("part-") }
        #expect(!names.isEmpty && names.allSatisfy { $0.hasSuffix(".partial") }, "\(names)")

        // Both rows may be fetched again, or the second one alone.
        let (_, unfinished, next) = try output.recover()
        let recovery = try #require(unfinished.first).recovery
        let again = PartWriter(job, output, next: next, count: { _ in }, onFailure: {})
        try await again.resume(unfinished)
        if recovery.lines.isEmpty { await again.add(Self.row("whole", bytes: 3, .memory([1, 2, 3]))) }
        await again.add(Self.row("big", bytes: 4, .memory([4, 5, 6, 7])))
        try await again.finish(publishing: true)
        guard format == .tar else { return }
        let tar = Array(try Data(contentsOf: URL(filePath: "\(job.folder)/part-00000-0000.tar")))
        let members = try TarWalk.members(of: tar)
        func bytes(_ name: String) -> [UInt8]? { members.first { $0.name == name }?.bytes }
        #expect(bytes("whole.bin") == [1, 2, 3] && bytes("big.bin") == [4, 5, 6, 7])
    }

    @Test(
        "a part that can't be synced is removed: its rows are fetched again", arguments: [".tar", ".jsonl"])
    func unsynced(file: String) throws {
        let folder = try TemporaryFolder()
        let job = BatchJob(
            manifest: "\(folder.path)/m", folder: "\(folder.path)/out",
            template: DownloadSpec(url: "", destination: .folder(path: ".")))
        let output = try OutputFolder(job)
        let system = SystemCalls(hook: { call in
            call.kind == .fsync && call.path.contains(file) ? .fail(ENOSPC) : .proceed
        })
        var part = try OpenPart(PartName(shard: 0, part: 0), in: output, modified: 0, system: system)
        try part.add(Self.row("a", bytes: 3, .memory([1, 2, 3])))
        let error = #expect(throws: DownloadError.self) { try part.publish() }
        #expect(error?.code == .noSpace)
        let (index, unfinished, next) = try output.recover()
        #expect(unfinished.isEmpty && next == 0 && index.count == 0)
    }

    @Test(
        "after a kill, a row counts only if its file, its headers and its description are on disk",
        arguments: [PartFormat.tar, .files], 0..<4 as Range<Int>)
    func lostBlocks(format: PartFormat, block: Int) throws {
        let folder = try TemporaryFolder()
        var job = BatchJob(
            manifest: "\(folder.path)/m", folder: "\(folder.path)/out",
            template: DownloadSpec(url: "", destination: .folder(path: ".")))
        job.output = format
        let output = try OutputFolder(job)
        var part = try OpenPart(PartName(shard: 0, part: 0), in: output, modified: 0)
        let content = [UInt8](repeating: 7, count: 512)
        for key in ["a", "b", "c"] {
            var result = RowResult(ManifestRow(number: 1, url: "http://h/\(key)", id: key), .ok)
            (result.bytes, result.sha256) = (512, try Digests.sha256(content).hex)
            try part.add(FetchedRow(result: result, content: .memory(content), key: key, ending: "bin", host: "h"))
        }
        try part.flush()
        #expect(try output.recover().unfinished.first?.recovery.lines.count == 3)
        // The second row: its header, its content, the header of the description, the description.
        switch format {
        case .tar:
            let file = try SystemCalls.live.open("\(job.folder)/part-00000-0000.tar.partial", .create)
            let length = try SystemCalls.live.status(file).size
            // Safe: a UInt8 has no padding.
            try SystemCalls.live.write(
                file, unsafe [UInt8](repeating: 0, count: 512).span.bytes, at: length / 3 + Int64(block * 512))
        case .files:
            let name = block % 2 == 0 ? "b.bin" : "b.json"
            try Data(count: block < 2 ? 512 : 0).write(
                to: URL(filePath: "\(job.folder)/part-00000-0000.partial/000/\(name)"))
        }
        let recovery = try #require(output.recover().unfinished.first).recovery
        #expect(recovery.lines.map { $0.file?.member.suffix(5) } == ["a.bin"])
    }

    @Test("a part that can't be synced when it is continued is removed", arguments: [PartFormat.tar, .files])
    func unsyncedRecovery(format: PartFormat) throws {
        let folder = try TemporaryFolder()
        var job = BatchJob(
            manifest: "\(folder.path)/m", folder: "\(folder.path)/out",
            template: DownloadSpec(url: "", destination: .folder(path: ".")))
        job.output = format
        do {
            var part = try OpenPart(PartName(shard: 0, part: 0), in: try OutputFolder(job), modified: 0)
            try part.add(Self.row("a", bytes: 3, .memory([1, 2, 3])))
            try part.flush()
        }
        // A part that can't be opened now stays.
        do {
            let scarce = try OutputFolder(
                job,
                system: SystemCalls(hook: { $0.kind == .open && $0.path.contains("part-") ? .fail(EMFILE) : .proceed }))
            #expect(throws: DownloadError.self) { try scarce.recover() }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: job.folder).count { $0.hasPrefix("part-") } == 2)
        let broken = try OutputFolder(
            job, system: SystemCalls(hook: { [.fdatasync, .fsyncFolder].contains($0.kind) ? .fail(EIO) : .proceed }))
        #expect(throws: DownloadError.self) { try broken.recover() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: job.folder).filter { $0.hasPrefix("part-") } == [])
    }
}

import Foundation
import Haul
import HaulCore
import HaulLocal
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Relocation of a list", .usesSockets)
struct ListRelocationTests {
    private static let file = Resource.file(seed: 61, size: 400_000)
    private static let stallsOnce = file.script { $0.number == 1 ? .stall(after: 200_000) : .normal }

    /// Leaves one finished download and one that is half done, and returns the folder that their files are in.
    private func prepare(_ harness: ManagerTrial) async throws -> (ids: [DownloadID], folder: String) {
        let folder = harness.path("old")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let all = try await harness.add([harness.spec("/done", "old/done"), harness.spec("/half", "old/half")])
        _ = try await all[0].finished()
        try await all[1].until(bytes: 200_000)
        try await all[1].pause()
        await harness.close()
        return (all.map(\.id), folder)
    }

    private func relocate(
        _ harness: ManagerTrial, _ old: String, _ new: String, copied: Bool = false, isPreview: Bool = false
    ) throws -> ListRelocation.Report {
        try ListRelocation(from: old, to: new, adoptsCopies: copied, isPreview: isPreview)
            .run(listAt: harness.path("list.sqlite"))
    }

    @Test(
        "after the files were moved or copied, the downloads go on in the new folder; nothing is fetched twice",
        arguments: [false, true])
    func resumes(copies: Bool) async throws {
        try await ManagerTrial.run(["/done": Self.file, "/half": Self.stallsOnce]) { harness in
            let (ids, old) = try await prepare(harness)
            let new = harness.path("new")
            if copies {
                try FileManager.default.copyItem(atPath: old, toPath: new)
                // As rsync -a does.
                let date = try FileManager.default.attributesOfItem(atPath: old + "/done")[.modificationDate]
                try FileManager.default.setAttributes(
                    [.modificationDate: try #require(date)], ofItemAtPath: new + "/done")
            } else {
                try FileManager.default.moveItem(atPath: old, toPath: new)
            }
            let preview = try relocate(harness, old, new, copied: copies, isPreview: true)
            let report = try relocate(harness, old, new, copied: copies)
            #expect(report == preview && report.moved == 2 && report.broken.isEmpty && report.copied == 0)
            #expect(report.ready == (copies ? 0 : 1) && report.adopted == (copies ? 1 : 0))
            let manager = try await harness.launch()
            #expect(try await manager.snapshot(ids[0]).path == new + "/done")
            let half = try #require(try await manager.download(ids[1]))
            try await half.resume()
            let facts = try await half.finished()
            #expect(facts.path == new + "/half" && facts.sessionBytes == 200_000)
            #expect(harness.bytes("new/half") == Self.file.allBytes)
            // The finished file is still the download's own.
            try await manager.remove(ids[0], files: .all)
            while try await manager.download(ids[0]) != nil { await Task.yield() }
            #expect(!FileManager.default.fileExists(atPath: new + "/done"))
            #expect(FileManager.default.fileExists(atPath: old + "/done") == copies)
        }
    }

    @Test("a copy that nobody vouches for starts over, and is said so; later it can be vouched for")
    func unproven() async throws {
        try await ManagerTrial.run(["/done": Self.file, "/half": Self.stallsOnce]) { harness in
            let (ids, old) = try await prepare(harness)
            let new = harness.path("new")
            try FileManager.default.copyItem(atPath: old, toPath: new)
            let report = try relocate(harness, old, new)
            #expect(report.moved == 2 && report.copied == 1 && report.adopted == 0)
            #expect(try relocate(harness, new, new, copied: true).adopted == 1)
            let manager = try await harness.launch()
            let half = try #require(try await manager.download(ids[1]))
            try await half.resume()
            #expect(try await half.finished().sessionBytes == 200_000)
        }
    }

    @Test("a file of somebody else in the new folder is not the download's, though it is equally large")
    func othersFile() async throws {
        try await ManagerTrial.run(["/done": Self.file, "/half": Self.stallsOnce]) { harness in
            let (ids, old) = try await prepare(harness)
            try FileManager.default.createDirectory(atPath: harness.path("new"), withIntermediateDirectories: true)
            try harness.folder.put([UInt8](repeating: 7, count: Self.file.allBytes.count), "new/done")
            _ = try relocate(harness, old, harness.path("new"), copied: true)
            let manager = try await harness.launch()
            try await manager.remove(ids[0], files: .all)
            #expect(FileManager.default.fileExists(atPath: harness.path("new/done")))
        }
    }

    @Test("a list that a manager has open is not touched")
    func busy() async throws {
        try await ManagerTrial.run([:]) { harness in
            let error = #expect(throws: DownloadError.self) { try relocate(harness, "/a", "/b") }
            #expect(error?.code == .catalogueBusy)
        }
    }
}

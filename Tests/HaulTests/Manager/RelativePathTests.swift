import Foundation
import Haul
import HaulCore
import HaulLibC
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal

@Suite("Relative paths", .usesSockets)
struct RelativePathTests {
    private static let file = Resource.file(seed: 71, size: 400_000)
    private static let stalls = file.script { _ in .stall(after: 200_000) }

    @Test(
        "a launch from another folder finds the partial file of a relative destination",
        arguments: [Destination.file(path: "in/a"), .folder(path: "in")], [true, false])
    func relaunch(_ destination: Destination, isKilled: Bool) async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            await harness.close()
            for name in ["in", "other"] {
                try FileManager.default.createDirectory(
                    atPath: harness.path(name), withIntermediateDirectories: true)
            }
            let (first, second) = (harness.folder.path, harness.path("other"))
            let manager = try await harness.launch { $0.workingFolder = { first } }
            var spec = harness.spec("/a")
            spec.destination = destination
            let download = try await manager.add(spec)
            try await download.until(bytes: 200_000)
            #expect(try await download.snapshot.path == harness.path("in/a"))
            if isKilled { await harness.kill() } else { await harness.close() }
            harness.server.set("/a", Self.file)
            let next = try await harness.launch { $0.workingFolder = { second } }
            let again = try #require(try await next.download(download.id))
            let facts = try await again.finished()
            #expect(facts.path == harness.path("in/a") && facts.sessionBytes == 200_000)
            #expect(try Array(Data(contentsOf: URL(filePath: facts.path))) == Self.file.allBytes)
        }
    }

    @Test("the same relative destination is the same download only in the same folder")
    func sameKey() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            await harness.close()
            let (first, second) = (harness.folder.path, harness.path("other"))
            try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
            var spec = harness.spec("/a")
            spec.destination = .file(path: "a")
            let model = Model(downloadSpec: spec)
            let download = try await harness.launch { $0.workingFolder = { first } }.add(spec)
            _ = try await download.finished()
            #expect(try await model.currentDownload(in: try harness.manager) == download)
            #expect(try await harness.manager.add(harness.spec("/a")) == download)
            await harness.close()
            let manager = try await harness.launch { $0.workingFolder = { second } }
            #expect(try await model.currentDownload(in: manager) == nil)
            let other = try await manager.add(spec)
            #expect(try await other.finished().path == "\(second)/a")
            #expect(other.id != download.id)
        }
    }

    @Test("without a working folder, a relative path is an error and an absolute one is not")
    func noFolder() async throws {
        try await ManagerTrial.run(["/a": Self.file], { $0.workingFolder = { nil } }) { harness in
            var relative = harness.spec("/a")
            relative.destination = .folder(path: "x")
            let results = try await harness.manager.add(contentsOf: [relative, harness.spec("/a")])
            #expect(results.map(\.failureCode) == [.fileFailed, nil])
        }
    }

    @Test("the working folder is that of the process")
    func workingFolder() {
        #expect(WorkingFolder.path == FileManager.default.currentDirectoryPath)
    }

    private struct Model: Downloadable {
        let downloadSpec: DownloadSpec
    }
}

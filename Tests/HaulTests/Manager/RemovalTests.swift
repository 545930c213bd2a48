import Foundation
import Haul
import HaulCore
import HaulTesting
import Testing

@Suite("A removal takes no file that is not the download's own", .usesSockets)
struct RemovalTests {
    static let file = Resource.file(seed: 42, size: 2_000_000)

    @Test("what stood under the name before stays until the download has finished", arguments: [true, false])
    func replaced(isRunning: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file], throttle: 500_000) { mine in
            try Data("mine".utf8).write(to: URL(filePath: mine.path("f")))
            var spec = mine.spec("/f")
            spec.onConflict = .replace
            let download = try await mine.manager.add(spec)
            for await event in download.events {
                if case .progress(let progress) = event.kind, progress.fileBytes > 0 { break }
            }
            if !isRunning { try await download.pause() }
            try await download.remove(files: .all)
            #expect(mine.bytes("f") == Array("mine".utf8))
            #expect(mine.names == ["f"])
        }
    }

    @Test("a finished file goes with it when that is asked, and only then", arguments: RemovedFiles.allCases)
    func finished(files: RemovedFiles) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            let download = try await mine.manager.add(mine.spec("/f"))
            _ = try await download.finished()
            try await download.remove(files: files)
            #expect(mine.names == (files == .all ? [] : ["f"]))
        }
    }
}

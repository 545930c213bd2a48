import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("URLs instead of texts, and downloads by URL alone", .usesSockets, .timeLimit(.minutes(5)))
struct URLTests {
    private static let file = Resource.file(seed: 82, size: 1000)

    @Test("a download is added, found and moved to another source by URL")
    func urls() async throws {
        try await ManagerTrial.run(["/a%20b": Self.file, "/c": Self.file]) { trial in
            let manager = try trial.manager
            let url = try #require(URL(string: trial.server.url("/a%20b")))
            let folder = URL(fileURLWithPath: trial.folder.path)
            let spec = try DownloadSpec(url: url, destination: .file(folder.appendingPathComponent("x y")))
            #expect(spec.destination == .file(path: trial.path("x y")))
            #expect(try Destination.folder(folder) == .folder(path: trial.folder.path))
            #expect(try Destination.hashed(folder) == .hashed(folder: trial.folder.path))
            let download = try await manager.add(spec)
            _ = try await download.finished()
            #expect(trial.bytes("x y") == Self.file.allBytes)
            #expect(try await manager.download(url: url) == download)
            #expect(try await manager.download(url: trial.server.url("/a b") + "#end") == download)
            #expect(try await manager.download(url: trial.server.url("/c")) == nil)
            try await download.retry(fromStart: true)
            let other = try #require(URL(string: trial.server.url("/c")))
            let paused = try await manager.add(trial.spec("/b") { $0.startsPaused = true })
            try await paused.replaceSource(url: other)
            #expect(try await manager.download(url: other) == paused)
        }
    }

    @Test("a place that is not a file is refused")
    func notAFile() throws {
        let url = try #require(URL(string: "https://user:secret@example.org/a"))
        for body in [{ try Destination.file(url) }, { try Destination.folder(url) }, { try Destination.hashed(url) }] {
            let error = #expect(throws: DownloadError.self) { _ = try body() }
            #expect(error?.code == .invalidRequest && error?.message.contains("secret") == false)
        }
        #expect(throws: DownloadError.self) { try ManagerConfiguration.Storage.file(url) }
        #expect(try ManagerConfiguration.Storage.file(URL(fileURLWithPath: "/a/b.db")) == .file(path: "/a/b.db"))
    }

    @Test("a URL alone goes to the default folder, which is created, again if it was removed")
    func folder() async throws {
        try await ManagerTrial.run(["/a.bin": Self.file, "/b.bin": Self.file]) { trial in
            await trial.close()
            let path = trial.path("new/deep er")
            let manager = try await trial.launch { $0.folder = path }
            #expect(manager.folder == path && FileManager.default.fileExists(atPath: path))
            _ = try await manager.add(trial.server.url("/a.bin")).finished()
            #expect(trial.bytes("new/deep er/a.bin") == Self.file.allBytes)
            try FileManager.default.removeItem(atPath: trial.path("new"))
            let url = try #require(URL(string: trial.server.url("/b.bin")))
            let facts = try await manager.add(url).finished()
            #expect(facts.path == "\(path)/b.bin" && trial.bytes("new/deep er/b.bin") == Self.file.allBytes)
        }
    }

    @Test("without a default folder, a URL alone is refused; a folder that can't be created is an error")
    func noFolder() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { trial in
            let manager = try trial.manager
            #expect(manager.folder == nil)
            let error = await #expect(throws: DownloadError.self) { try await manager.add(trial.server.url("/a")) }
            #expect(error?.code == .invalidRequest)
            await trial.close()
            try trial.folder.put([1], "file")
            let failure = await #expect(throws: DownloadError.self) {
                try await trial.launch { $0.folder = trial.path("file/sub") }
            }
            #expect(failure?.code == .fileFailed)
            // The list was released.
            #expect(try await trial.launch().count() == 0)
        }
    }

    @Test("a relative default folder is one of the working folder at the launch")
    func relative() async throws {
        try await ManagerTrial.run([:]) { trial in
            await trial.close()
            let base = trial.path("work")
            let manager = try await trial.launch {
                $0.folder = "files"
                $0.workingFolder = { base }
            }
            #expect(manager.folder == "\(base)/files" && FileManager.default.fileExists(atPath: "\(base)/files"))
        }
    }
}

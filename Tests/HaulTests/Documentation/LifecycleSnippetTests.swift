import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: lifecycle", .usesSockets)
struct LifecycleSnippetTests {
    // snippet: states
    func words(for state: DownloadState) -> String {
        switch state {
        case .waiting(let reason): "waits: \(reason)"
        case .running: "at work"
        case .paused(.asked): "paused"
        case .paused(.relaunch): "paused since the launch"
        case .finished(let facts): "finished: \(facts.path)"
        case .failed(let error): "failed: \(error)"
        case .cancelled(keptPartial: true): "cancelled, the bytes are kept"
        case .cancelled(keptPartial: false): "cancelled"
        }
    }
    // end snippet

    static let file = Resource.file(seed: 33, size: 300_000)

    @Test("every state in words, and a command that does not fit")
    func states() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            var spec = harness.spec("/f")
            spec.startsPaused = true
            let download = try await harness.manager.add(spec)
            #expect(words(for: try await download.state) == "paused")
            try await download.resume()
            _ = try await download.finished()
            #expect(words(for: try await download.state) == "finished: \(harness.path("f"))")
            let printed = Printed()
            let print = printed.add
            // snippet: refused
            do throws(DownloadError) {
                try await download.pause()
            } catch {
                print("\(error.code): \(error)")
            }
            // end snippet
            #expect(printed.lines.count == 1)
            #expect(printed.lines[0].hasPrefix("notPossible: "))
        }
    }

    @Test("one download after another")
    func after() async throws {
        try await ManagerTrial.run(["/film": Self.file, "/subtitles": Self.file], throttle: 10_000) { harness in
            let manager = try harness.manager
            let (subtitles, folder) = (harness.server.url("/subtitles"), harness.folder.path)
            let film = try await manager.add(harness.spec("/film"))
            // snippet: after
            var spec = DownloadSpec(url: subtitles, destination: .folder(path: folder))
            spec.after = [film.id]
            let download = try await manager.add(spec)
            // end snippet
            #expect(try await download.state == .waiting(.dependency(film.id)))
            harness.server.throttle(nil)
            _ = try await download.finished()
            #expect(try await film.state.kind == .finished)
        }
    }
}

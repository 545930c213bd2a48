import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Logging
import Testing

@Suite("The log of ends", .usesSockets, .timeLimit(.minutes(5)))
struct EndLogTests {
    @Test("Each end has one line with what an alert needs, and no secret")
    func ends() async throws {
        let log = LogLines()
        let file = Resource.file(seed: 91, size: 3000)
        try await ManagerTrial.run(["/f": file, "/gone": file.script(.status(404))], { $0.logger = log.logger(.info) })
        {
            harness in
            let manager = try harness.manager
            let finished = try await manager.add(harness.spec("/f") { $0.url += "?key=unsaid" })
            _ = try await finished.finished()
            let failed = try await manager.add(harness.spec("/gone"))
            await #expect(throws: DownloadError.self) { try await failed.finished() }
            let paused = try await manager.add(harness.spec("/f", "g") { $0.startsPaused = true })
            try await paused.cancel()
            try await finished.remove()
            try await paused.remove(files: .none)
            let lines = log.lines
            #expect(
                lines.map(\.message) == [
                    "download finished", "download failed", "download cancelled", "download removed",
                    "download removed",
                ])
            #expect(lines.map { $0.metadata["download"] } == ["1", "2", "3", "1", "3"])
            #expect(lines.map(\.level) == [.info, .warning, .info, .info, .info])
            #expect(lines.map { $0.metadata["code"] } == ["ok", "notFound", "cancelled", "removed", "removed"])
            #expect(lines[0].metadata["bytes"] == "3000" && lines[0].metadata["path"] == harness.path("f"))
            #expect(lines[..<2].allSatisfy { $0.metadata["seconds"].flatMap(Double.init) != nil })
            #expect(lines.allSatisfy { $0.metadata["url"]?.hasPrefix("http://127.0.0.1:") == true })
            #expect(lines[0].metadata["url"]?.hasSuffix("?key=REDACTED") == true)
        }
    }
}

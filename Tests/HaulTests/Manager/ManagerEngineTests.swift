import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("What a manager passes on from its engine", .usesSockets, .timeLimit(.minutes(10)))
struct ManagerEngineTests {
    @Test("a manager's downloads wait for a place with a reason, and all finish")
    func hostLimit() async throws {
        let files = Dictionary(
            uniqueKeysWithValues: (0..<5).map {
                ("/\($0)", Resource.file(seed: UInt64($0), size: 1_000_000).script(.throttle(2_000_000).closing()))
            })
        try await ManagerTrial.run(files, clientLimit: ClientLimit(connections: 2), { $0.settings.limit = 5 }) {
            harness in
            let all = try await harness.add((0..<5).map { harness.spec("/\($0)") })
            for download in all { _ = try await download.finished() }
            for number in 0..<5 { #expect(harness.bytes("\(number)") == files["/\(number)"]?.allBytes) }
            let events = try await harness.manager.allEvents()
            #expect(
                events.contains { if case .waiting(.connections("127.0.0.1", _), _) = $0.kind { true } else { false } })
            #expect(harness.server.log.requests.count { $0.status == 429 || $0.status == 503 } <= 10)
        }
    }

    @Test("a manager explains what runs and what ran")
    func explanation() async throws {
        let resource = Resource.file(seed: 3, size: 2_000_000).script { _ in .throttle(2_000_000) }
        try await ManagerTrial.run(["/f": resource]) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            var running: Explanation?
            for try await event in download.events {
                if case .progress(let progress) = event.kind, progress.sessionBytes > 0, running == nil {
                    running = try await download.explanation
                }
                if event.kind.word == "finished" { break }
            }
            #expect(running?.record.isOver == false)
            let ended = try #require(try await download.explanation)
            #expect(ended.record.isOver && ended.record.receivedBytes >= 2_000_000)
            #expect(try await harness.manager.explanation(download.id) == ended)
        }
    }
}

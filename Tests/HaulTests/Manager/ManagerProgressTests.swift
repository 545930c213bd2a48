import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulManager

@Suite("What a manager shows of a transfer", .usesSockets, .timeLimit(.minutes(10)))
struct ManagerProgressTests {
    static let file = Resource.file(seed: 81, size: 6_000_000)

    /// Downloads it and gives all progress that was told.
    private static func progress(
        _ resource: Resource, throttle: Int64? = nil, _ change: (inout DownloadSpec) -> Void = { _ in },
        _ check: (ManagerTrial, [TransferProgress]) async throws -> Void
    ) async throws {
        try await ManagerTrial.run(
            ["/f": resource], throttle: throttle, { $0.settings.progressInterval = .milliseconds(20) }
        ) {
            harness in
            let download = try await harness.manager.add(harness.spec("/f", nil, change))
            var emitted: [TransferProgress] = []
            for try await event in download.events {
                if case .progress(let progress) = event.kind { emitted.append(progress) }
                if case .snapshot(let snapshot) = event.kind, snapshot.state.kind == .finished { break }
                if event.kind.word == "finished" { break }
            }
            #expect(harness.bytes("f") == resource.allBytes)
            try await check(harness, emitted)
        }
    }

    @Test("speed, average and time left are told while it runs (U13)")
    func speeds() async throws {
        try await Self.progress(Self.file, throttle: 6_000_000) { _, emitted in
            let middle = try #require(emitted.last { $0.fileBytes < Self.file.size && $0.secondsLeft != nil })
            #expect(middle.speed > 0 && middle.averageSpeed > 0)
            // The rest at the speed that is shown beside it.
            let expected = Double(Self.file.size - middle.fileBytes) / middle.speed
            #expect(abs(try #require(middle.secondsLeft) - expected) <= expected * 0.5 + 1)
        }
    }

    @Test("an unknown size is shown as unknown: no fraction, no time left (U12, T19)")
    func unknownSize() async throws {
        let resource = Self.file.withoutRanges().script { _ in .normal.chunked() }
        try await Self.progress(resource, throttle: 12_000_000) { _, emitted in
            let running = emitted.filter { $0.totalBytes == nil }
            #expect(!running.isEmpty)
            #expect(running.allSatisfy { $0.fraction == nil && $0.secondsLeft == nil })
        }
    }

    @Test(
        "several connections, six at most unless told otherwise, without ranges one, and one that tries (U5)",
        arguments: [true, false])
    func connections(hasRanges: Bool) async throws {
        let slow = Self.file.script { _ in .throttle(1_500_000) }
        try await Self.progress(
            hasRanges ? slow : slow.withoutRanges(),
            { $0.connections = DownloadSpec(url: "http://h/", destination: .file(path: "/f")).connections }
        ) {
            harness, emitted in
            let maximum = harness.server.maximumConcurrent
            // A busy server may still count a connection that tried and was closed when the next one tries.
            #expect((hasRanges ? 2...6 : 1...3).contains(maximum), "\(maximum)")
            #expect(emitted.map(\.connections).max() ?? 0 <= (hasRanges ? maximum : 1))
        }
    }

    @Test("a server that does not accept is given up after the connect timeout (U30)")
    func connectTimeout() async throws {
        // Nobody answers in this network: RFC 5737. Where the machine has no route, it fails at once, which is as good.
        try await ManagerTrial.run([:]) { harness in
            var spec = harness.spec("/f")
            spec.url = "http://192.0.2.1/f"
            (spec.connectTimeout, spec.retries) = (.milliseconds(200), 0)
            let failure = await (try harness.manager.add(spec)).failure()
            #expect(failure == .timedOut || failure == .connectionFailed)
        }
    }

    /// A download that stalls after 100,000 bytes; its clock stands still.
    private static func stalled(in folder: TemporaryFolder) async throws -> (DownloadManager, Download) {
        let (transport, url) = (ScriptedTransport(), "https://example.com/a")
        transport.set(url, .file([UInt8](repeating: 7, count: 300_000)).stalling(after: 100_000))
        let manager = try await DownloadManager(scripted: transport)
        return (
            manager, try await manager.add(DownloadSpec(url: url, destination: .file(path: "\(folder.path)/a")))
        )
    }

    @Test("a late report with bytes from before a cut does not end the wait for the next attempt")
    func lateReport() async throws {
        let folder = try TemporaryFolder()
        let (manager, download) = try await Self.stalled(in: folder)
        try await download.until { $0 == .running }
        let reason = WaitReason.retrying(DownloadError(.connectionFailed, "the connection was cut"), attempt: 1)
        // Its clock stands still, so the run itself reports nothing more.
        func receive(_ event: TransferEvent) async throws -> DownloadState {
            let last = manager.lastEventNumber
            manager.inject(event, of: download.id)
            manager.inject(.notice(.webPage), of: download.id)
            _ = try await manager.first(since: last) { $0.kind == .notice(.webPage) }
            return try await download.state
        }
        func progress(_ bytes: Int64, connections: Int) -> TransferEvent {
            .progress(
                TransferProgress(
                    fileBytes: bytes, sessionBytes: bytes, totalBytes: 300_000, connections: connections))
        }
        #expect(try await receive(.waiting(reason, seconds: 5)) == .waiting(reason))
        #expect(try await receive(progress(150_000, connections: 0)) == .waiting(reason))
        #expect(try await receive(progress(150_000, connections: 1)) == .waiting(reason))
        #expect(try await receive(progress(160_000, connections: 1)) == .running)
        #expect(try await receive(.waiting(reason, seconds: 5)) == .waiting(reason))
        // A complete file is verified without a connection, too.
        #expect(try await receive(progress(300_000, connections: 0)) == .running)
        // The end of each wait is an event, so that those who follow the events read the state again.
        let words = await download.emitted.map(\.word).filter { $0 != "notice" && $0 != "started" }
        #expect(words == ["added", "waiting", "changed", "waiting", "changed"])
        await manager.close()
    }

    @Test("after a snapshot, a subscriber gets no progress that is older than the snapshot")
    func olderThanSnapshot() async throws {
        let folder = try TemporaryFolder()
        let (manager, download) = try await Self.stalled(in: folder)
        let started = try await manager.first(since: 0) { $0.kind.word == "started" }
        // Its clock stands still, so the first of these is published, and the interval until the next one never ends.
        for bytes: Int64 in [150_000, 160_000] {
            manager.inject(
                .progress(
                    TransferProgress(fileBytes: bytes, sessionBytes: bytes, totalBytes: 300_000, connections: 1)),
                of: download.id)
        }
        manager.inject(.notice(.webPage), of: download.id)
        _ = try await manager.first(since: started.number) { $0.kind == .notice(.webPage) }
        let hub = manager.backend.hub
        guard case .progress = hub.poll(after: hub.last, progressAfter: 0, of: download.id) else {
            Issue.record("nothing was published")
            return
        }
        var iterator = download.events.makeAsyncIterator()
        guard case .snapshot(let snapshot)? = try await iterator.next()?.kind else {
            Issue.record("the first event is not a snapshot")
            return
        }
        #expect(snapshot.progress.fileBytes == 160_000)
        let next = hub.poll(after: hub.last, progressAfter: 0, of: download.id)
        guard case .nothing = next else {
            Issue.record("after it comes \(next)")
            return
        }
        await manager.close()
    }
}

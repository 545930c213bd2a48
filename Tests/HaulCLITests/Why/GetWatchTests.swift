import Haul
import HaulCore
import HaulTesting
import Synchronization
import Testing

@testable import HaulCLI

@Suite struct GetWatchTests {
    private static let failed = Result<FinishFacts, DownloadError>.failure(DownloadError(.cancelled, "stopped"))

    private func record(_ watch: GetWatch) -> GetRecord {
        watch.record(process: 1, began: 2, updated: 3, isOver: false)
    }

    @Test func manyDownloadsLeaveABoundedRecord() async {
        let watch = GetWatch(jobs: 2) { .zero }
        for number in 1...100 {
            let spec = DownloadSpec(url: "http://h/\(number)", destination: .folder(path: "."))
            _ = await watch.run(spec, onEvent: { _ in }) { _, _ in Self.failed }
        }
        // None of them has begun in an engine, so nothing is known but how many they were.
        #expect(record(watch).others.count == 100 - GetWatch.maxEnded)
        #expect(record(watch).downloads.isEmpty)
    }

    @Test func busyIsTheTimeInWhichAllPlacesAreTaken() async {
        let clock = Mutex(Duration.zero)
        let watch = GetWatch(jobs: 2) { clock.withLock { $0 } }
        let spec = DownloadSpec(url: "http://h/1", destination: .folder(path: "."))
        _ = await watch.run(spec, onEvent: { _ in }) { _, _ in
            clock.withLock { $0 += .seconds(1) }
            _ = await watch.run(spec, onEvent: { _ in }) { _, _ in
                clock.withLock { $0 += .seconds(4) }
                return Self.failed
            }
            clock.withLock { $0 += .seconds(2) }
            return Self.failed
        }
        #expect(record(watch).busySeconds == 4 && record(watch).seconds == 7)
    }

    @Test func whatRunsIsInTheRecordByItsNameAndWithoutSecrets() async throws {
        let engine = try DownloadEngine()
        let folder = try TemporaryFolder()
        var spec = DownloadSpec(
            url: "http://me:secret@127.0.0.1:1/a.bin?key=secret", destination: .file(path: folder.path + "/a"))
        spec.retries = 0
        let watch = GetWatch(jobs: 1) { .seconds(1) }
        let seen = Mutex<GetRecord?>(nil)
        _ = await watch.run(spec, onEvent: { _ in }) { own, report in
            let result = await engine.run(spec, watch: own, onEvent: report)
            seen.withLock { $0 = record(watch) }
            return result
        }
        await engine.shutdown()
        let entry = try #require(seen.withLock { $0 }?.downloads.first)
        #expect(entry.name == "a.bin" && entry.record.failure == .connectionFailed)
        #expect(try !WhyFolder.text(record(watch)).contains("secret"))
    }
}

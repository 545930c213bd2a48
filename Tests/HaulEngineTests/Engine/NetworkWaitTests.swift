import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulEngine

@Suite("An engine without a network", .usesSockets)
struct NetworkWaitTests {
    private static let file = Resource.file(seed: 78, size: 400_000)
    private static let lost = file.script { facts in .cut(after: facts.number == 1 ? 200_000 : 0) }

    @Test("a run that waits resumes when the network is back; one that does not fails", arguments: [true, false])
    func run(waits: Bool) async throws {
        try await FaultServer.run(["/f": Self.lost]) { server in
            try await EngineHarness.run { harness in
                let isBack = Atomic(false)
                let probe = NetworkProbe(hasRoute: { isBack.load(ordering: .acquiring) }, isCutOff: { _ in true })
                let events = Mutex<[TransferEvent]>([])
                var spec = harness.spec(server.url("/f"))
                if waits { spec.retries = 1000 }
                let result = await harness.engine.run(spec, RunOptions(), waitsForNetwork: waits, probe) { event in
                    events.withLock { $0.append(event) }
                    guard case .waiting(.network, _) = event else { return }
                    server.set("/f", Self.file)
                    isBack.store(true, ordering: .releasing)
                }
                let reasons = events.withLock { $0 }.filter {
                    if case .waiting(.network, _) = $0 { true } else { false }
                }
                if waits {
                    let facts = try result.get()
                    #expect(facts.totalBytes == 400_000)
                    #expect(harness.bytes("f") == Self.file.allBytes && reasons.count == 1)
                } else {
                    guard case .failure(let error) = result else {
                        Issue.record("it did not fail")
                        return
                    }
                    #expect(error.detail == .noNetwork && reasons.isEmpty)
                    #expect(events.withLock { $0.last } == .failed(error))
                }
            }
        }
    }

    @Test("an attempt is made again as long as there is no network and it may wait; other results are returned")
    func retrying() async {
        let missing = DownloadError(.connectionFailed, "there is no network", detail: .noNetwork)
        let refused = DownloadError(.connectionFailed, "connection refused")
        let cases: [(results: [Result<Int, DownloadError>], waits: Bool, attempts: Int)] = [
            ([.failure(missing), .failure(missing), .success(3)], true, 3), ([.failure(missing)], false, 1),
            ([.failure(missing), .failure(refused)], true, 2), ([.success(1)], true, 1),
        ]
        for (results, waits, attempts) in cases {
            var number = 0
            let result: Result<Int, DownloadError> = await NetworkProbe.always.retrying([]) {
                waits
            } attempt: {
                number += 1
                return results[number - 1]
            }
            #expect(result == results[attempts - 1] && number == attempts)
        }
    }

    @Test("the network is missing only if no mirror and no proxy can be reached, whatever the host of the URL")
    func otherHosts() async throws {
        try await EngineHarness.run(
            configure: { $0.proxies = try ProxySettings(url: "http://proxy:1", noProxy: "direct") }
        ) { harness in
            var spec = harness.spec("http://192.0.2.1/f")
            spec.mirrors = [.init(url: "http://direct/f")]
            let hosts = harness.engine.firstHosts(of: spec)
            #expect(hosts == ["proxy", "direct"])
            let failure = DownloadError(.connectionFailed, "the connection was lost")
            let cases: [(String, DownloadError.Detail?)] = [("proxy", nil), ("direct", nil), ("other", .noNetwork)]
            for (reachable, detail) in cases {
                let probe = NetworkProbe(hasRoute: { false }, isCutOff: { $0 != reachable })
                let watch = NetworkWatch(spec, to: hosts, probe) {}
                guard case .failure(let error) = await watch.result(.failure(failure)) else {
                    Issue.record("it did not fail")
                    return
                }
                #expect(error.detail == detail, "\(reachable)")
            }
        }
    }

    @Test("a host that can be reached again ends the wait without a change", .timeLimit(.minutes(1)))
    func hostIsBack() async {
        await NetworkProbe(hasRoute: { false }, isCutOff: { $0 != "h" }).changed(for: ["g", "h"])
    }

    @Test("a monitor is released while the system may still report")
    func monitor() {
        for _ in 0..<100 { _ = NetworkMonitor {} }
    }

    @Test("the system has a route to itself, and none to a name that does not exist is missed")
    func system() {
        #expect(!NetworkProbe.system.isCutOff("127.0.0.1"))
        _ = NetworkProbe.system.hasRoute()
    }
}

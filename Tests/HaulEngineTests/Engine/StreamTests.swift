import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulEngine

@Suite("Streams", .usesSockets, .timeLimit(.minutes(5)))
struct StreamTests {
    private typealias Outcome = (result: Result<FinishFacts, DownloadError>, bytes: [UInt8])

    /// Streams a file; `receive` sees what is there so far and says whether to go on.
    private func stream(
        _ harness: EngineHarness, _ spec: DownloadSpec, window: Int64 = 1 << 20,
        _ receive: (Int) async -> Bool = { _ in true }
    ) async -> Outcome {
        var bytes: [UInt8] = []
        let result = await harness.engine.stream(
            spec, exactly: window, nil, { _ in }
        ) {
            bytes += $0
            return await receive(bytes.count)
        }
        return (result, bytes)
    }

    private func trial(
        _ resource: Resource, throttle: Int64? = nil, _ body: (EngineHarness, FaultServer, String) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": resource], throttle: throttle) { server in
            try await EngineHarness.run { try await body($0, server, server.url("/f")) }
        }
    }

    @Test(
        "all bytes come in order, whatever the window and the connections",
        arguments: [1, 4], [64 << 10, 1 << 20, 64 << 20] as [Int64])
    func inOrder(connections: Int, window: Int64) async throws {
        let resource = Resource.file(seed: 7, size: 6_000_001)
        try await trial(resource, throttle: 60_000_000) { harness, server, url in
            var spec = harness.spec(url, connections: connections)
            spec.checksum = try Digests.sha256(resource.allBytes)
            let (result, bytes) = await stream(harness, spec, window: window)
            let facts = try result.get()
            #expect(bytes == resource.allBytes)
            #expect(facts.path == "f" && facts.totalBytes == 6_000_001 && facts.verified == spec.checksum)
            #expect(harness.names.isEmpty)
        }
    }

    @Test("several connections work on it at once, and none asks for bytes that have no room")
    func window() async throws {
        let resource = Resource.file(seed: 7, size: 12_000_000).script { _ in .throttle(4_000_000) }
        try await trial(resource) { harness, server, url in
            let (result, bytes) = await stream(harness, harness.spec(url, connections: 4), window: 4 << 20)
            _ = try result.get()
            #expect(bytes == resource.allBytes)
            #expect(server.maximumConcurrent > 1)
            let log = try await server.settled()
            #expect(log.requests("/f").dropFirst().allSatisfy { ($0.responded?.count ?? 0) <= 4 << 20 })
        }
    }

    @Test(
        "an empty file is an empty stream; one without a length ends with its body", arguments: [0, 300_000] as [Int64])
    func ends(size: Int64) async throws {
        let resource = Resource.file(seed: 7, size: size).script { _ in size > 0 ? .chunked() : .normal }
        try await trial(resource) { harness, _, url in
            let (result, bytes) = await stream(harness, harness.spec(url))
            let facts = try result.get()
            #expect(facts.totalBytes == size)
            #expect(bytes == resource.allBytes)
        }
    }

    @Test("a receiver that takes nothing holds the server back", arguments: [1, 4])
    func slowReceiver(connections: Int) async throws {
        let resource = Resource.file(seed: 7, size: 80_000_000)
        // How much the kernel's buffers hold is its own matter (tcp(7)): 12 MB and more were seen.
        let maximum = 40_000_000
        try await trial(resource) { harness, server, url in
            let window: Int64 = 1 << 20
            let (result, bytes) = await stream(harness, harness.spec(url, connections: connections), window: window) {
                count in
                guard count < 600_000 else { return true }
                // Long enough for a server on this machine to send everything, if nothing held it back.
                try? await Task.sleep(for: .milliseconds(400))
                #expect(server.totalBodyBytes < maximum)
                return true
            }
            _ = try result.get()
            #expect(bytes == resource.allBytes)
        }
    }

    @Test("a receiver that has enough ends it", arguments: [1, 4])
    func closed(connections: Int) async throws {
        let resource = Resource.file(seed: 7, size: 40_000_000)
        try await trial(resource) { harness, server, url in
            let (result, bytes) = await stream(harness, harness.spec(url, connections: connections)) { $0 < 700_000 }
            #expect(result.code == .cancelled)
            #expect(bytes.elementsEqual(resource.bytes(0..<Int64(bytes.count))))
            try await server.settled()
        }
    }

    @Test("a cancelled task ends it, also while it waits for bytes")
    func cancelled() async throws {
        let resource = Resource.file(seed: 7, size: 1_000_000).script { _ in .stall(after: 500_000) }
        try await trial(resource) { harness, server, url in
            let task = Task { await stream(harness, harness.spec(url)).result.code }
            try await server.until { $0.totalBodyBytes >= 500_000 }
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    @Test("a broken connection goes on at its own offset", arguments: [true, false], [1, 3])
    func broken(isStrong: Bool, connections: Int) async throws {
        let plain = Resource.file(seed: 7, size: 3_000_000)
        let marked = isStrong ? plain : plain.etag(nil).lastModified(nil)
        try await trial(marked.script { _ in .cut(after: 700_000) }) { harness, server, url in
            let (result, bytes) = await stream(harness, harness.spec(url, connections: connections))
            _ = try result.get()
            #expect(bytes == plain.allBytes)
            let log = try await server.settled()
            #expect(log.bytesServedAgain("/f") <= 5 * 512 << 10)
        }
    }

    @Test("a file that changes meanwhile is a failure and never a mix", arguments: [true, false], [1, 3])
    func changed(isStrong: Bool, connections: Int) async throws {
        let mark = { (resource: Resource) in isStrong ? resource : resource.etag(nil).lastModified(nil) }
        let old = mark(.file(seed: 7, size: 3_000_000))
        let new = mark(.file(seed: 8, size: 3_000_000))
        let first = old.script { $0.number == 1 ? .cut(after: 700_000) : .serving(new) }
        try await trial(first) { harness, _, url in
            let (result, bytes) = await stream(harness, harness.spec(url, connections: connections))
            guard result.code != nil else {
                // Another connection has noticed it before any byte of the old version was handed out.
                #expect(connections > 1 && isStrong && bytes == new.allBytes)
                return
            }
            #expect(result.code == .sourceChanged)
            #expect(bytes.count < 3_000_000)
            #expect(bytes.elementsEqual(old.bytes(0..<Int64(bytes.count))))
        }
    }

    @Test("without ranges a broken connection is the end, and said so")
    func noRanges() async throws {
        let resource = Resource.file(seed: 7, size: 3_000_000).withoutRanges().script { _ in .cut(after: 900_000) }
        try await trial(resource) { harness, _, url in
            let (result, bytes) = await stream(harness, harness.spec(url, connections: 3))
            guard case .failure(let error) = result else { return #expect(Bool(false)) }
            #expect(error.message.contains("data was already written"))
            #expect(bytes.elementsEqual(resource.bytes(0..<Int64(bytes.count))))
        }
    }

    @Test("a server that sends the whole file instead of some ranges is asked again", arguments: [1, 3])
    func someRanges(connections: Int) async throws {
        let resource = Resource.file(seed: 7, size: 3_000_000)
        let odd = resource.script {
            [1, 2, 0].contains($0.number % 6) && $0.number > 2 ? .serving(resource.withoutRanges()) : .normal
        }
        try await trial(odd) { harness, _, url in
            let (result, bytes) = await stream(harness, harness.spec(url, connections: connections), window: 512 << 10)
            _ = try result.get()
            #expect(bytes == resource.allBytes)
        }
    }

    @Test("a server that has announced ranges is asked again before it has sent any", arguments: [nil, "\"v1\""])
    func announcedRanges(etag: String?) async throws {
        let resource = Resource.file(seed: 7, size: 3_000_000).etag(etag)
        let whole = resource.withoutRanges()
        let odd = resource.script {
            $0.number == 1 ? .cut(after: 900_000) : $0.number < 4 ? .serving(whole) : .normal
        }
        try await trial(odd) { harness, _, url in
            let (result, bytes) = await stream(harness, harness.spec(url, connections: 1))
            _ = try result.get()
            #expect(bytes == resource.allBytes)
        }
    }

    @Test("a checksum that does not fit is a failure after the last byte")
    func wrongChecksum() async throws {
        let resource = Resource.file(seed: 7, size: 2_000_000)
        try await trial(resource) { harness, _, url in
            var spec = harness.spec(url, connections: 2)
            spec.checksum = try Digests.sha256([1])
            let (result, bytes) = await stream(harness, spec)
            guard case .failure(let error) = result else { return #expect(Bool(false)) }
            #expect(error.code == .checksumMismatch && error.message.contains("the output is corrupt"))
            #expect(bytes == resource.allBytes)
        }
    }

    @Test("connections that a waiting server has closed are no failures")
    func closedWhileWaiting() async throws {
        // The first answer is cut while the receiver has the window full; so often that as failures they would be too many.
        let resource = Resource.file(seed: 7, size: 8_000_000).script { $0.number < 9 ? .cut(after: 700_000) : .normal }
        try await trial(resource) { harness, _, url in
            var spec = harness.spec(url)
            spec.retries = 0
            let (result, bytes) = await stream(harness, spec, window: 512 << 10)
            _ = try result.get()
            #expect(bytes == resource.allBytes)
        }
    }
}

import Dispatch
import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulLibC
import HaulTesting
import HaulTransportHTTP
import Synchronization
import Testing

@testable import HaulEngine

@Suite("Threads for each disk")
struct DiskLanesTests {
    /// Lanes over mounts that a test changes, whose threads answer when the test says so.
    private final class Trial: Sendable {
        let mounts = Mutex<String?>("1 1 8:1 / / rw - ext4 a rw\n2 1 8:2 / /far rw - ext4 b rw\n")
        let questions = Mutex<[@Sendable () -> Void]>([])
        let made = Mutex<[SharedTransport]>([])

        func lanes() throws -> DiskLanes {
            let transport = try HTTPTransport()
            return DiskLanes(system: .live, mounts: { self.mounts.withLock(\.self) }) {
                let transport = SharedTransport(transport)
                self.made.withLock { $0.append(transport) }
                return (transport, { answered in self.questions.withLock { $0.append(answered) } })
            }
        }

        var count: Int { made.withLock(\.count) }
    }

    private static func spec(_ path: String) -> DownloadSpec {
        DownloadSpec(url: "http://h/f", destination: .folder(path: path))
    }

    @Test(
        "downloads to one disk share a lane, those to another have their own; a system without a list of mounts has none"
    )
    func lanes() throws {
        let trial = Trial()
        let (lanes, now) = (try trial.lanes(), ContinuousClock.now)
        for path in ["/a", "/b/c", "/far", "/far/x"] { #expect(lanes.lane(of: Self.spec(path), at: now) != nil) }
        #expect(trial.count == 2)
        #expect(lanes.lane(of: Self.spec("/far/y"), at: now)?.mountPoint == "/far")
        #expect(
            lanes.lane(of: DownloadSpec(url: "http://h/f", destination: .file(path: "/b")), at: now)?.mountPoint == "/")
        trial.mounts.withLock { $0 = nil }
        #expect(lanes.lane(of: Self.spec("/a"), at: now + MountCache.age) == nil)
    }

    @Test("a new mount is noticed after a second")
    func newMount() throws {
        let trial = Trial()
        let (lanes, now) = (try trial.lanes(), ContinuousClock.now)
        #expect(lanes.lane(of: Self.spec("/new"), at: now)?.mountPoint == "/")
        trial.mounts.withLock { $0? += "3 1 8:3 / /new rw - ext4 c rw\n" }
        #expect(lanes.lane(of: Self.spec("/new"), at: now + .milliseconds(999))?.mountPoint == "/")
        #expect(lanes.lane(of: Self.spec("/new"), at: now + .seconds(1))?.mountPoint == "/new")
    }

    @Test("there are at most 32 lanes; further disks use the engine's own threads")
    func limit() throws {
        let trial = Trial()
        trial.mounts.withLock { $0 = (0..<34).map { "1 1 8:\($0) / /\($0) rw - ext4 a rw\n" }.joined() }
        let (lanes, now) = (try trial.lanes(), ContinuousClock.now)
        let found = (0..<34).map { lanes.lane(of: Self.spec("/\($0)/x"), at: now)?.mountPoint }
        #expect(found == (0..<32).map { "/\($0)" } + [nil, nil])
    }

    @Test("a disk whose threads do not answer is blocked until they do, and is asked once")
    func blocked() async throws {
        let trial = Trial()
        let lanes = try trial.lanes()
        #expect(await lanes.blockedDisks(within: .zero, clock: .system).isEmpty)
        for path in ["/a", "/far"] { _ = lanes.lane(of: Self.spec(path), at: .now) }
        #expect(await lanes.blockedDisks(within: .zero, clock: .system).map(\.mountPoint) == ["/", "/far"])
        _ = await lanes.blockedDisks(within: .zero, clock: .system)
        let questions = trial.questions.withLock(\.self)
        #expect(questions.count == 2)
        for answer in questions { answer() }
        async let none = lanes.blockedDisks(within: .seconds(60), clock: .system)
        while trial.questions.withLock(\.count) < 4 { await Task.yield() }
        for answer in trial.questions.withLock({ $0.suffix(2) }) { answer() }
        #expect(await none.isEmpty)
    }

    @Test("a download to a disk that does not respond stops no other, and the disk is named")
    func stuck() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("stuck"), withIntermediateDirectories: false)
        let (open, reached) = (DispatchSemaphore(value: 0), AsyncStream<Void>.makeStream())
        let system = SystemCalls(hook: { call in
            // The first bytes are written by a thread of the run, later ones by that of the connection.
            if case .pwrite(let path, let offset, _) = call, path.hasPrefix(folder.path + "/stuck/"), offset > 2 << 20 {
                reached.continuation.yield()
                open.wait()
                open.signal()
            }
            return .proceed
        })
        let mounts = "1 1 8:1 / / rw - ext4 a rw\n2 1 8:2 / \(folder.path)/stuck rw - ext4 b rw\n"
        let engine = DownloadEngine(
            EngineConfiguration(), transport: try HTTPTransport(), system: system,
            lanes: DiskLanes(system: system, mounts: { mounts }) {
                // Two downloads in one lane would share its thread.
                let http = try? HTTPTransport(HTTPTransportConfiguration(eventLoops: 1))
                return http.map { ($0, $0.onceAllRespond) }
            })
        let file = Resource.file(seed: 81, size: 8_000_000)
        try await FaultServer.run(["/f": file]) { server async throws in
            func download(_ name: String) async -> Result<FinishFacts, DownloadError> {
                let spec = DownloadSpec(url: server.url("/f"), destination: .file(path: "\(folder.path)/\(name)"))
                return await engine.run(spec) { _ in }
            }
            async let stuck = download("stuck/f")
            defer { open.signal() }
            for await _ in reached.stream { break }
            #expect(try await download("free").get().totalBytes == 8_000_000)
            #expect(await engine.blockedDisks().map(\.mountPoint) == [folder.path + "/stuck"])
            open.signal()
            #expect(try await stuck.get().totalBytes == 8_000_000)
            #expect(folder.bytes("stuck/f") == file.allBytes && folder.bytes("free") == file.allBytes)
            #expect(await engine.blockedDisks().isEmpty)
        }
        await engine.shutdown()
    }
}

import Dispatch
import HaulCore
import HaulServer
import HaulWire
import Synchronization
import Testing

@Suite("Readiness")
struct ReadinessTests {
    private func root(_ path: String, free: Int64?) -> RootSpace {
        RootSpace(path: path, space: free.map { RootSpace.Space(free: $0, size: 1 << 40) })
    }

    @Test("a list that can't be written, a full disk and a missing root are reasons, each with its code")
    func reasons() {
        let failure = DownloadError(.catalogueFailed, "can't write /s/list: is the disk full?")
        let roots = [
            root("/a", free: Readiness.minFree), root("/b", free: 5 << 20), root("/c", free: nil),
        ]
        let found = Readiness.obstacles(listFailure: failure, roots: roots, blocked: [], showsPaths: true)
        #expect(found.map(\.code) == [.catalogueFailed, .noSpace, .fileFailed])
        #expect(found[0].message == failure.message)
        #expect(found[1].message == "the disk of the root /b is full: 5.0 MiB free, 16.0 MiB needed")
        #expect(found[2].message == "the root /c does not exist or does not respond")
        #expect(Readiness.obstacles(listFailure: nil, roots: [roots[0]], blocked: [], showsPaths: true).isEmpty)
    }

    @Test("without the right to see them, no folder is named")
    func hidden() {
        let failure = DownloadError(.catalogueFailed, "can't write /s/list")
        let found = Readiness.obstacles(
            listFailure: failure, roots: [root("/secret", free: 0), root("/secret", free: nil)], blocked: [],
            showsPaths: false)
        #expect(found.count == 3 && found.allSatisfy { !$0.message.contains("/s") })
        #expect(found[2].message.hasPrefix("root 2 "))
        let shown = Readiness.shown(failure, showsPaths: false)
        #expect(shown?.code == .catalogueFailed && shown?.message == "can't write the list of downloads")
        #expect(Readiness.shown(failure, showsPaths: true) == failure)
    }

    @Test("a disk that running downloads wait for is a reason, too", arguments: [true, false])
    func blocked(showsPaths: Bool) {
        let disk = BlockedDisk(mountPoint: "/mnt/a", time: .milliseconds(12_900))
        let found = Readiness.obstacles(listFailure: nil, roots: [], blocked: [disk], showsPaths: showsPaths)
        let name = showsPaths ? "the disk at /mnt/a" : "a disk"
        #expect(found.map(\.code) == [.fileFailed])
        #expect(found.map(\.message) == ["\(name) has not responded for 12 s: downloads to it wait"])
    }

    @Test("the disk of a folder is measured; one that does not exist has no space")
    func measured() throws {
        let space = try #require(RootSpace(measuring: "/").space)
        #expect(space.size > 0 && (0...space.size).contains(space.free))
        #expect(RootSpace(measuring: "/no/such/folder").space == nil)
    }

    @Test("a disk that does not respond hides no other")
    func besideStuck() async {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let watch = RootWatch(limit: .milliseconds(1)) { path in
            if path == "/stuck" { gate.wait() }
            return RootSpace(path: path, space: RootSpace.Space(free: 1, size: 2))
        }
        // The first answer may come too late for so short a limit.
        while await watch.spaces(["/stuck", "/b"])[1].space == nil { await Task.yield() }
        #expect(await watch.spaces(["/stuck", "/b"]).map(\.space?.free) == [nil, 1])
    }

    @Test("a disk that does not respond delays nobody, and has its last values")
    func stuck() async {
        let gate = DispatchSemaphore(value: 0)
        let isStuck = Atomic(false)
        let watch = RootWatch(limit: .milliseconds(1)) { path in
            if isStuck.load(ordering: .relaxed) { gate.wait() }
            return RootSpace(path: path, space: RootSpace.Space(free: 1, size: 2))
        }
        // The first answer may come too late for so short a limit.
        while await watch.spaces(["/a"])[0].space == nil { await Task.yield() }
        isStuck.store(true, ordering: .relaxed)
        for _ in 0..<3 { #expect(await watch.spaces(["/a"]).map(\.space?.free) == [1]) }
        gate.signal()
    }
}

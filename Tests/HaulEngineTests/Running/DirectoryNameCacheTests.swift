import Haul
import HaulFiles
import HaulTesting
import Synchronization
import Testing

@testable import HaulEngine

/// Whether a place is free, asked many times.
@Suite(.timeLimit(.minutes(2))) struct DirectoryNameCacheTests {
    /// A folder, a lookout over it, the looks that it made, and its time.
    private final class Scene: Sendable {
        let folder: TemporaryFolder
        private let looks = Mutex(0)
        private let time = Mutex(ContinuousClock.now)
        private let lists = Mutex(0)

        init() throws { folder = try TemporaryFolder() }

        var looked: Int { looks.withLock { $0 } }
        var listed: Int { lists.withLock { $0 } }

        func nameCache() -> DirectoryNameCache {
            let system = SystemCalls { [self] call in
                switch call.kind {
                case .status: looks.withLock { $0 += 1 }
                case .list: lists.withLock { $0 += 1 }
                default: break
                }
                return .proceed
            }
            return DirectoryNameCache(system: system) { [self] in time.withLock { $0 } }
        }

        func pass(_ duration: Duration) { time.withLock { $0 += duration } }

        func names(_ name: String) -> PartialNames { PartialNames(final: folder.path + "/" + name) }

        /// Asks for a name that is free until no look is needed for the answer.
        func untilRead(_ nameCache: DirectoryNameCache) async {
            while true {
                let before = looked
                #expect(nameCache.isFree(names("free")))
                if looked == before { return }
                await Task.yield()
            }
        }
    }

    @Test(
        "says of each kind of name that it is taken, before and after the folder was read, and looks no more at what is free"
    )
    func kinds() async throws {
        let scene = try Scene()
        for name in ["a", "b.part", "c.part.haul"] { try scene.folder.put([1], name) }
        let long = String(repeating: "n", count: 250)
        try scene.folder.put([1], try #require(scene.names(long).partial.split(separator: "/").last.map(String.init)))
        let nameCache = scene.nameCache()
        func check() {
            for name in ["a", "b", "c", long] { #expect(!nameCache.isFree(scene.names(name)), "\(name)") }
            for name in ["d", "part", ".part", "a.par", "aa"] {
                #expect(nameCache.isFree(scene.names(name)), "\(name)")
            }
        }
        check()
        await scene.untilRead(nameCache)
        let before = scene.looked
        check()
        #expect(scene.looked - before == 1 + 2 + 3 + 2, "only at what is there")
        #expect(scene.listed == 1)
    }

    @Test("what came to the folder is seen after a second, and of this program at once")
    func expiry() async throws {
        let scene = try Scene()
        let nameCache = scene.nameCache()
        await scene.untilRead(nameCache)
        try scene.folder.put([1], "late")
        #expect(nameCache.isFree(scene.names("late")), "not yet")
        scene.pass(.seconds(1))
        #expect(!nameCache.isFree(scene.names("late")))
        await scene.untilRead(nameCache)
        try scene.folder.put([1], "mine.part")
        nameCache.changed(scene.folder.path)
        #expect(!nameCache.isFree(scene.names("mine")))
    }

    @Test("a folder that is not there, and one that is of no use, are looked into as ever")
    func missing() throws {
        let scene = try Scene()
        let nameCache = scene.nameCache()
        for number in 0..<100 { #expect(nameCache.isFree(scene.names("none/\(number)"))) }
        #expect(nameCache.isFree(scene.names("f")))
        nameCache.giveUp(scene.folder.path)
        for _ in 0..<100 { #expect(nameCache.isFree(scene.names("f"))) }
        #expect(scene.looked == 201 * 3)
    }

    @Test("folders are told apart, and of more than it knows one is forgotten, not all")
    func folders() async throws {
        let scene = try Scene()
        let others = try (0..<7).map { _ in try Scene() }
        let nameCache = scene.nameCache()
        await scene.untilRead(nameCache)
        try others[0].folder.put([1], "free")
        #expect(!nameCache.isFree(others[0].names("free")))
        for other in others { #expect(nameCache.isFree(other.names("f"))) }
        let before = scene.looked
        #expect(nameCache.isFree(scene.names("f")))
        #expect(scene.looked == before, "eight are known, the first still among them")
    }
}

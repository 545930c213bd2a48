import HaulFiles
import HaulTesting
import Synchronization
import Testing

@testable import Haul

/// Whether a place is free, asked many times.
@Suite struct FolderLookoutTests {
    /// Counts looks at names, and tells when a folder was read.
    private final class Watch: Sendable {
        private let looks = Mutex(0)
        let (lists, list) = AsyncStream.makeStream(of: Void.self)

        var count: Int { looks.withLock { $0 } }

        func system() -> SystemCalls {
            SystemCalls { call in
                switch call.kind {
                case .status: self.looks.withLock { $0 += 1 }
                case .list: self.list.yield()
                default: break
                }
                return .proceed
            }
        }
    }

    private func names(_ name: String, in folder: TemporaryFolder) -> PartialNames {
        PartialNames(final: folder.path + "/" + name)
    }

    @Test(
        "says of each kind of name that it is taken, before and after the folder was read, and looks no more at what is free"
    )
    func kinds() async throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b.part", "c.part.haul"] { try folder.put([1], name) }
        let long = String(repeating: "n", count: 250)
        try folder.put([1], try #require(names(long, in: folder).partial.split(separator: "/").last.map(String.init)))
        let watch = Watch()
        let lookout = FolderLookout(system: watch.system(), now: { [now = ContinuousClock.now] in now })
        func check() {
            for name in ["a", "b", "c", long] { #expect(!lookout.isFree(names(name, in: folder)), "\(name)") }
            for name in ["d", "part", ".part", "a.par", "aa"] {
                #expect(lookout.isFree(names(name, in: folder)), "\(name)")
            }
        }
        check()
        check()
        for await _ in watch.lists { break }
        // It is being read now: what is asked until it is there is looked at.
        var before = watch.count
        while true {
            #expect(lookout.isFree(names("free", in: folder)))
            if watch.count == before { break }
            before = watch.count
            await Task.yield()
        }
        check()
        #expect(watch.count - before == 1 + 2 + 3 + 2, "only at what is there")
    }

    @Test("a folder that is not there, or not for this user, is looked into as ever")
    func missing() throws {
        let folder = try TemporaryFolder()
        let lookout = FolderLookout(system: .live)
        for number in 0..<200 { #expect(lookout.isFree(PartialNames(final: folder.path + "/none/\(number)"))) }
    }

    @Test("many folders are told apart, and not all remembered")
    func folders() throws {
        let folder = try TemporaryFolder()
        let lookout = FolderLookout(system: .live)
        for number in 0..<40 {
            for _ in 0..<20 { #expect(lookout.isFree(PartialNames(final: folder.path + "/\(number)/f"))) }
        }
    }
}

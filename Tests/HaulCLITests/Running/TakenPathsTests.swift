import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("The files that a run has")
struct TakenPathsTests {
    private let one: GetJob
    private let two: GetJob

    init() throws {
        one = GetJob(id: 1, url: try SourceURL(parsing: "http://h/1"))
        two = GetJob(id: 2, url: try SourceURL(parsing: "http://h/2"))
    }

    /// The paths of a file system on which a name exists if `inode` returns a number for it.
    private func paths(
        limit: Int = 100_000, _ inode: @escaping @Sendable (String) -> UInt64?
    ) -> TakenPaths {
        TakenPaths(limit: limit) { inode($0).map { FileIdentity(device: 1, inode: $0, born: nil) } }
    }

    private func owner(_ job: GetJob) -> TakenPaths.Owner {
        TakenPaths.Owner(id: job.id, content: job.content, url: job.url)
    }

    @Test("a path is that of the first URL that takes it, until it is released")
    func first() {
        var paths = paths { _ in nil }
        paths.take("/d/a", one)
        paths.take("/d/a", two)
        #expect(paths.owner(of: "/d/./a") == owner(one))
        #expect(paths.owner(of: "/d/b") == nil)
        paths.release("/d/a", two)
        #expect(paths.owner(of: "/d/a") == owner(one))
        paths.release("/d/a", one)
        #expect(paths.owner(of: "/d/a") == nil)
    }

    @Test(
        "names that differ in case or in the form of an accent are one file if the file system says so",
        arguments: [("/d/Readme", "/d/README"), ("/d/\u{E9}", "/d/e\u{301}")])
    func spellings(taken: String, other: String) {
        var same = paths { _ in 7 }
        same.take(taken, one)
        #expect(same.owner(of: other) == owner(one))
        var different = paths { $0.utf8.suffix(taken.utf8.count).elementsEqual(taken.utf8) ? 7 : 8 }
        different.take(taken, one)
        #expect(different.owner(of: other) == nil)
        different.take(other, two)
        #expect(different.owner(of: other) == owner(two) && different.owner(of: taken) == owner(one))
        different.release(taken, one)
        #expect(different.owner(of: other) == owner(two) && different.owner(of: taken) == nil)
        // Nothing is known of files that do not exist yet.
        var future = paths { _ in nil }
        future.take(taken, one)
        #expect(future.owner(of: other) == nil)
    }

    @Test("paths beyond the number of texts are remembered as well", arguments: [0, 1])
    func further(limit: Int) {
        var paths = paths(limit: limit) { _ in nil }
        for number in 1...3 { paths.take("/d/\(number)", one) }
        for number in 1...3 {
            let owner = paths.owner(of: "/d/\(number)")
            #expect(owner.map { TakenPaths.isSame($0, one) } == true)
            #expect(owner.map { TakenPaths.isSame($0, two) } == false)
        }
        #expect(paths.owner(of: "/d/4") == nil)
        paths.release("/d/3", two)
        #expect(paths.owner(of: "/d/3") != nil)
        paths.release("/d/3", one)
        #expect(paths.owner(of: "/d/3") == nil)
    }

    @Test("beyond them, names that differ in case are one file if the file system says so")
    func furtherSpellings() {
        var same = paths(limit: 0) { _ in 7 }
        same.take("/d/Readme", one)
        let found = same.owner(of: "/d/README")
        #expect(found.map { TakenPaths.isSame($0, two) } == false)
        #expect(same.owner(of: "/d/other") == nil)
        var different = paths(limit: 0) { $0.hasSuffix("/README") ? 8 : 7 }
        different.take("/d/Readme", one)
        #expect(different.owner(of: "/d/README") == nil)
    }

    @Test("downloads of one URL are the same file unless they differ in their variant")
    func variants() throws {
        func job(_ id: Int, _ variant: Int?) -> GetJob { GetJob(id: id, url: one.url, variant: variant) }
        var paths = paths { _ in nil }
        paths.take("/d/a", job(1, nil))
        let found = paths.owner(of: "/d/a")
        let owner = try #require(found)
        #expect(TakenPaths.isSame(owner, job(2, nil)) && !TakenPaths.isSame(owner, job(3, 5)))
        // A second download of the same file that fails leaves the path to the first one.
        paths.release("/d/a", job(2, nil))
        #expect(paths.owner(of: "/d/a") == owner)
    }
}

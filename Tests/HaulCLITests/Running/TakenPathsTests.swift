import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("The files that a run has")
struct TakenPathsTests {
    private let one: SourceURL
    private let two: SourceURL

    init() throws {
        one = try SourceURL(parsing: "http://h/1")
        two = try SourceURL(parsing: "http://h/2")
    }

    /// The paths of a file system on which a name exists if `inode` returns a number for it.
    private func paths(_ inode: @escaping @Sendable (String) -> UInt64?) -> TakenPaths {
        TakenPaths { inode($0).map { FileIdentity(device: 1, inode: $0, born: nil) } }
    }

    @Test("a path is that of the first URL that takes it, until it is released")
    func first() {
        var paths = paths { _ in nil }
        paths.take("/d/a", one)
        paths.take("/d/a", two)
        #expect(paths.owner(of: "/d/./a") == one)
        #expect(paths.owner(of: "/d/b") == nil)
        paths.release("/d/a", two)
        #expect(paths.owner(of: "/d/a") == one)
        paths.release("/d/a", one)
        #expect(paths.owner(of: "/d/a") == nil)
    }

    @Test(
        "names that differ in case or in the form of an accent are one file if the file system says so",
        arguments: [("/d/Readme", "/d/README"), ("/d/\u{E9}", "/d/e\u{301}")])
    func spellings(taken: String, other: String) {
        var same = paths { _ in 7 }
        same.take(taken, one)
        #expect(same.owner(of: other) == one)
        var different = paths { $0.utf8.suffix(taken.utf8.count).elementsEqual(taken.utf8) ? 7 : 8 }
        different.take(taken, one)
        #expect(different.owner(of: other) == nil)
        different.take(other, two)
        #expect(different.owner(of: other) == two && different.owner(of: taken) == one)
        different.release(taken, one)
        #expect(different.owner(of: other) == two && different.owner(of: taken) == nil)
        // Nothing is known of files that do not exist yet.
        var future = paths { _ in nil }
        future.take(taken, one)
        #expect(future.owner(of: other) == nil)
    }
}

import Dispatch
import HaulCore
import HaulLibC
import Synchronization
import Testing

@testable import HaulStore

@Suite struct CatalogueLockTests {
    /// An `init` that threw closed its descriptor, and then `deinit` did: by then its number may be a stranger's file.
    @Test func aLockThatIsRefusedClosesNobodysFile() async throws {
        let shelf = try Shelf()
        let path = shelf.folder + "/list.sqlite"
        let lock = try CatalogueLock(path)
        let isOver = Atomic(false)
        async let lost = withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var lost = 0
                while !isOver.load(ordering: .acquiring) { lost += Self.isClosedByOthers() ? 1 : 0 }
                continuation.resume(returning: lost)
            }
        }
        for _ in 0..<5000 {
            #expect(throws: DownloadError.self) { _ = try CatalogueLock(path) }
        }
        isOver.store(true, ordering: .releasing)
        #expect(await lost == 0)
        withExtendedLifetime((lock, shelf)) {}
    }

    /// A child has a copy of the descriptor from fork(2) to execve(2).
    @Test func aLockIsGivenBackWhoeverHasACopyOfIt() throws {
        let shelf = try Shelf()
        let path = shelf.folder + "/list.sqlite"
        var first: CatalogueLock? = try CatalogueLock(path)
        let copy = dup(try #require(first).descriptor)
        defer { close(copy) }
        first = nil
        let second = try CatalogueLock(path)
        withExtendedLifetime((first, second, shelf)) {}
    }

    /// Only a lock of this process is said to be one.
    @Test func anOwnLockIsToldFromAForeignOne() throws {
        let shelf = try Shelf()
        let path = shelf.folder + "/list.sqlite"
        var own: CatalogueLock? = try CatalogueLock(path)
        var error = #expect(throws: DownloadError.self) { _ = try CatalogueLock(path) }
        #expect(error?.code == .catalogueBusy && error?.message.hasPrefix("this process has") == true)
        own = nil
        // Another description of the file, as another process would have.
        // Safe: the path is a Swift string, passed for the duration of the call.
        let other = unsafe open(path + ".lock", O_RDWR | O_CLOEXEC)
        defer { close(other) }
        try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
        error = #expect(throws: DownloadError.self) { _ = try CatalogueLock(path) }
        #expect(error?.code == .catalogueBusy && error?.message.hasPrefix("another process uses") == true)
        withExtendedLifetime((own, shelf)) {}
    }

    /// Opens a file, and closes it again.
    private static func isClosedByOthers() -> Bool {
        // Safe: the path is a literal; no pointer is kept.
        let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        return file >= 0 && close(file) != 0
    }
}

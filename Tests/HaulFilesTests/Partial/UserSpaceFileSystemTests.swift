import Foundation
import HaulCore
import Synchronization
import Testing

@testable import HaulFiles
@testable import HaulTesting

/// File systems such as sshfs: an inode number for each name, one link, no birth times, and no rename that replaces nothing.
@Suite("Files on a file system in user space")
struct UserSpaceFileSystemTests {
    private let folder: TemporaryFolder
    private let failsToUnlink = Flag()

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    init() throws { folder = try TemporaryFolder() }

    private var system: SystemCalls {
        let failsToUnlink = failsToUnlink
        return SystemCalls { call in
            if call.kind == .renameNoReplace { return .fail(EINVAL) }
            let fails = failsToUnlink.value.load(ordering: .relaxed)
            if call.kind == .unlink, call.path.hasSuffix(".part"), fails { return .fail(EIO) }
            return SystemCalls.isSync(call.kind) ? .pretend : .proceed
        } appearance: { status, path in
            var status = status
            let name = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
            // A file that has got another name by link(2) keeps its first number.
            let first = name.replacing(" (deleted)", with: "")
            status.identity = InodeIdentity(
                inode: first.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 },
                birthSeconds: 0, birthNanoseconds: 0)
            status.links = 1
            return status
        }
    }

    @Test("A download with a journal gets its name")
    func publishes() throws {
        #expect(try Session(folder: folder).download(system) == folder.path("file.bin"))
        #expect(folder.names == ["file.bin"] && folder.bytes("file.bin") == Session.content(1))
    }

    @Test(
        "After a publication that ended between two names, the complete file is not written to",
        arguments: [true, false])
    func twoNames(resumes: Bool) throws {
        var session = Session(folder: folder)
        session.resumes = resumes
        failsToUnlink.value.store(true, ordering: .relaxed)
        #expect(throws: DownloadError.self) { try session.download(system) }
        failsToUnlink.value.store(false, ordering: .relaxed)
        #expect(folder.bytes("file.bin") == Session.content(1) && folder.bytes("file.bin.part") == Session.content(1))
        session.version = 2
        let partial = try session.open(system)
        try session.fill(partial, try session.start(partial), limit: 2)
        #expect(folder.bytes("file.bin") == Session.content(1))
        partial.close()
        #expect(try session.download(system) == folder.path("file.bin"))
        #expect(folder.names == ["file.bin"] && folder.bytes("file.bin") == Session.content(2))
    }

    @Test("A partial file that has the size of another complete file is resumed")
    func sameSize() throws {
        var session = Session(folder: folder)
        try folder.put(Session.content(2), "file.bin")
        let partial = try session.open(system)
        try session.fill(partial, try session.start(partial), limit: 3)
        try partial.checkpoint()
        partial.close()
        let again = try session.open(system)
        guard case .resumable = again.found else {
            Issue.record("not resumable: \(again.found)")
            return
        }
        again.close()
        session.policy = .replace
        #expect(try session.download(system) == folder.path("file.bin"))
        #expect(folder.bytes("file.bin") == Session.content(1) && folder.names == ["file.bin"])
    }
}

import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulFiles

/// The seam: what callers never see, and what they do.
@Suite struct SystemCallsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [SystemCallVerdict.short(1), .short(0), .short(7), .proceed])
    func shortTransfersAreContinued(verdict: SystemCallVerdict) throws {
        let faults = SystemCallFaults { _, call in [.pread, .pwrite].contains(call.kind) ? verdict : .proceed }
        let system = faults.system()
        let file = try system.open(folder.path("file"), .create)
        let bytes = (0..<100).map(UInt8.init)
        try system.write(file, bytes, at: 5)
        #expect(folder.bytes("file") == [0, 0, 0, 0, 0] + bytes)
        var read = [UInt8](repeating: 0, count: 200)
        var span = read.mutableSpan
        let count = try unsafe span.withUnsafeMutableBytes { buffer throws(FileError) in
            // Safe: the buffer is the array's own for the length of the call.
            try unsafe system.read(file, into: buffer, at: 5)
        }
        #expect(count == 100)
        #expect(Array(read.prefix(100)) == bytes)
    }

    /// An interruption is repeated from where it was.
    @Test(arguments: 1...3) func interruptionsAreRepeated(number: Int) throws {
        let faults = SystemCallFaults(number: number, .fail(EINTR))
        let system = faults.system()
        let file = try system.open(folder.path("file"), .create)
        try system.write(file, [1, 2], at: 0)
        try system.truncate(file, size: 1)
        #expect(folder.bytes("file") == [1])
        #expect(faults.fired == 1)
    }

    /// A child has a copy of the descriptor from fork(2) to execve(2).
    @Test func aLockGoesWithItsFileWhoeverHasACopy() throws {
        let file = try SystemCalls.live.open(folder.path("file"), .create)
        #expect(try SystemCalls.live.lock(file))
        let copy = try file.use(for: .open) { dup($0) }
        defer { SystemCalls.rawClose(copy) }
        let other = try SystemCalls.live.open(folder.path("file"), .create)
        #expect(try !SystemCalls.live.lock(other))
        let renamed = OpenFile(takingOver: file, as: folder.path("other"))
        file.close()
        #expect(try !SystemCalls.live.lock(other))
        renamed.close()
        #expect(try SystemCalls.live.lock(other))
    }

    @Test func errorsNameCallPathAndCode() throws {
        let path = folder.path("none/file")
        let error = #expect(throws: FileError.self) { try SystemCalls.live.open(path, .create) }
        #expect(error == FileError(.open, path, ENOENT))
    }

    @Test func whatIsNotThere() throws {
        #expect(try SystemCalls.live.status(atPath: folder.path("none")) == nil)
        try SystemCalls.live.unlink(folder.path("none"))
    }

    @Test func statusKnowsTheFile() throws {
        try folder.put([1, 2, 3], "file")
        let file = try SystemCalls.live.open(folder.path("file"), .read)
        let status = try SystemCalls.live.status(file)
        #expect(status == (try SystemCalls.live.status(atPath: folder.path("file"))))
        #expect(status.size == 3)
        #expect(status.kind == .regular)
        #expect(status.links == 1)
        #expect(status.identity.inode != 0)
        #expect(try SystemCalls.live.space(file).available > 0)
        #if os(Linux)
            #expect(SystemCalls.live.bootID().utf8.count == 36)
            #expect(status.mountID != 0)
        #endif
    }

    /// No descriptor is left behind, whichever call fails.
    @Test func noDescriptorLeaks() throws {
        let before = try openDescriptors()
        for number in 1...25 {
            let session = Session(folder: folder, policy: .replace)
            _ = try? session.download(SystemCallFaults(number: number, .fail(EIO)).system())
        }
        #expect(try openDescriptors() == before)
    }

    /// Descriptors that lead into the folder of this test.
    private func openDescriptors() throws -> [String] {
        let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return links.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0.hasPrefix(folder.path) }
    }

    @Test(arguments: [
        (ENOSPC, DownloadError.Code.noSpace, "free some space"), (EDQUOT, .noSpace, "quota"),
        (EEXIST, .destinationExists, "file exists"), (EACCES, .fileFailed, "permission denied"),
        (ENOENT, .fileFailed, "create it, or choose another folder"), (EISDIR, .fileFailed, "is a folder"),
        (EROFS, .fileFailed, "read-only"),
        (ELOOP, .fileFailed, "symbolic link"), (ENAMETOOLONG, .fileFailed, "too long"),
        (EMFILE, .tooManyFiles, "too many open files"),
        (EIO, .fileFailed, "check the disk"), (ENOTDIR, .fileFailed, "correct the path"),
        (EFBIG, .fileFailed, "too large"),
        (EXDEV, .fileFailed, "can't write"),
    ])
    func eachErrorSaysWhatToDo(code: Int32, publicCode: DownloadError.Code, words: String) {
        let error = FileError(.pwrite, "/d/f", code).downloadError
        #expect(error.code == publicCode)
        #expect(error.message.contains(words))
        #expect(error.message.contains("/d/f"))
        #expect(error.cause?.isEmpty == false)
    }

    @Test func eachCallHasItsKindAndPath() {
        let calls: [SystemCall] = [
            .open(path: "p"), .close(path: "p"), .status(path: "p"), .space(path: "p"), .lock(path: "p"),
            .pread(path: "p", offset: 0, count: 0), .pwrite(path: "p", offset: 0, count: 0),
            .fallocate(path: "p", size: 0),
            .ftruncate(path: "p", size: 0), .punch(path: "p", offset: 0, count: 0),
            .compareWithDisk(path: "p", offset: 0, count: 0),
            .syncFileRange(path: "p", offset: 0, count: 0), .fdatasync(path: "p"),
            .fsync(path: "p"), .fsyncFolder(path: "p"), .setModified(path: "p", seconds: 0),
            .rename(from: "o", to: "p"),
            .renameNoReplace(from: "o", to: "p"), .link(from: "o", to: "p"), .unlink(path: "p"), .list(path: "p"),
        ]
        #expect(calls.map(\.kind) == SystemCall.Kind.allCases)
        #expect(calls.allSatisfy { $0.path == "p" })
    }
}

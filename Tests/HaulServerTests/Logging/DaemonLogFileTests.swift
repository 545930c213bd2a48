import Foundation
import HaulLibC
import HaulServer
import HaulTestTraits
import HaulTesting
import Testing

@Suite("The daemon's log file")
struct DaemonLogFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let descriptor: Int32

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/daemon.log"
        // Unsafe: the path is copied by the call.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }

    private func write(_ text: String) {
        // Unsafe: the buffer is borrowed for the call.
        #expect(
            unsafe Array(text.utf8).withUnsafeBytes { unsafe HaulLibC.write(descriptor, $0.baseAddress, $0.count) } > 0)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
    }

    @Test("a log that is too large becomes the old one, which replaces an older one")
    func replaced() throws {
        defer { close(descriptor) }
        let file = try #require(DaemonLogFile(path: path, descriptor: descriptor, limit: 10))
        for line in ["first\n", "second\n", "third\n", "fourth\n", "fifth\n"] {
            file.replaceIfLarge()
            write(line)
        }
        #expect(try text("daemon.log.old") == "third\nfourth\n")
        #expect(try text("daemon.log") == "fifth\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }

    @Test("many threads replace it once")
    func threads() async throws {
        defer { close(descriptor) }
        let file = try #require(DaemonLogFile(path: path, descriptor: descriptor, limit: 10))
        write("all of it\n")
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { file.replaceIfLarge() } }
        }
        #expect(try text("daemon.log.old") == "all of it\n")
        #expect(try text("daemon.log") == "")
    }

    @Test("a log that logrotate renamed is written to until the daemon gets the signal")
    func renamed() throws {
        defer { close(descriptor) }
        let file = try #require(DaemonLogFile(path: path, descriptor: descriptor, limit: 3))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        write("before\n")
        file.replaceIfLarge()
        write("after\n")
        #expect(try text("daemon.log.1") == "before\nafter\n")
        try file.reopen()
        write("new\n")
        #expect(try text("daemon.log") == "new\n")
    }

    @Test("a log that goes elsewhere has no file")
    func elsewhere() {
        defer { close(descriptor) }
        #expect(DaemonLogFile(path: folder.path + "/other.log", descriptor: descriptor) == nil)
    }

    @Test("the older log is removed if the disk is nearly full")
    func space() throws {
        defer { close(descriptor) }
        try Data("old".utf8).write(to: URL(filePath: path + ".old"))
        DaemonLogFile.returnSpace(path: path, least: 0)
        #expect(try text("daemon.log.old") == "old")
        DaemonLogFile.returnSpace(path: path, least: .max)
        DaemonLogFile.returnSpace(path: path, least: .max)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["daemon.log"])
    }

    @Test("on a small disk, it is replaced earlier")
    func limits() {
        #expect(DaemonLogFile.limit(diskSize: nil) == 10 << 20)
        #expect(DaemonLogFile.limit(diskSize: 1 << 40) == 10 << 20)
        #expect(DaemonLogFile.limit(diskSize: 16 << 20) == 512 << 10)
        #expect(DaemonLogFile.limit(diskSize: 0) == 64 << 10)
    }
}

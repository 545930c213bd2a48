import Foundation
import Haul
import HaulCore
import HaulServer
import HaulTesting
import HaulWire
import Testing

@Suite("The daemon's parts")
struct DaemonPartsTests {
    @Test("Of two that share a folder the second refuses, and names the first; the place is free again afterwards")
    func lock() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/lock"
        #expect(DaemonLock.holder(path: path) == nil)
        // As a child has until it becomes another program.
        var copy: Int32 = -1
        defer { close(copy) }
        do {
            let lock = try DaemonLock(path: path)
            copy = dup(lock.file)
            #expect(DaemonLock.holder(path: path) == getpid())
            do {
                _ = try DaemonLock(path: path)
                Issue.record("two have the place")
            } catch {
                #expect(error.code == .catalogueBusy && error.message.contains("\(getpid())"))
            }
            // The parent has other files open.
            #expect(DaemonLock.isOpen(path: path, in: getpid()) != false)
            #expect(DaemonLock.isOpen(path: path, in: getppid()) != true)
            #expect(DaemonLock.isOpen(path: path + "2", in: getpid()) != true)
            withExtendedLifetime(lock) {}
        }
        #expect(DaemonLock.holder(path: path) == nil)
        _ = try DaemonLock(path: path)
    }

    @Test("Of two with the same socket the second refuses; a socket that a dead daemon has left is replaced")
    func socketClaim() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        do {
            let claim = try SocketClaim(path: path)
            let error = #expect(throws: DownloadError.self) { try SocketClaim(path: path) }
            #expect(error?.code == .catalogueBusy && error?.message.contains(path) == true)
            withExtendedLifetime(claim) {}
        }
        // One that listens and has no lock, as a service manager: it keeps its socket.
        do {
            let other = try SilentListener(path: path)
            let error = #expect(throws: DownloadError.self) { try SocketClaim(path: path) }
            #expect(error?.code == .catalogueBusy)
            withExtendedLifetime(other) {}
        }
        // The file is still there, and nobody listens.
        #expect(FileManager.default.fileExists(atPath: path))
        let claim = try SocketClaim(path: path)
        let next = try SilentListener(path: path, replacing: true)
        claim.removeSocket()
        #expect(FileManager.default.fileExists(atPath: path))
        withExtendedLifetime(next) {}
    }

    @Test("Its folders are the user's alone; others that are not are refused")
    func folders() throws {
        let folder = try TemporaryFolder()
        var paths = DaemonPaths(environment: ["XDG_STATE_HOME": folder.path + "/x/y"])
        #expect(paths.socket == folder.path + "/x/y/haul/run/daemon.sock")
        try paths.prepare(makesSocket: true)
        for path in [paths.stateFolder, paths.stateFolder + "/run"] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
        }
        try paths.prepare(makesSocket: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: paths.stateFolder)
        #expect(throws: DownloadError.self) { try paths.prepare(makesSocket: true) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: paths.stateFolder)
        paths.socket = paths.stateFolder + "/" + String(repeating: "s", count: 200)
        #expect(throws: DownloadError.self) { try paths.prepare(makesSocket: true) }
        try paths.prepare(makesSocket: false)
    }

    @Test("Relative folders of the environment do not count (XDG Base Directory Specification)")
    func relative() {
        let paths = DaemonPaths(environment: [
            "HOME": "/h", "XDG_STATE_HOME": "s", "XDG_RUNTIME_DIR": "r", "XDG_CONFIG_HOME": "",
        ])
        #expect(paths == DaemonPaths(environment: ["HOME": "/h"]))
        #expect(paths.configuration == "/h/.config/haul/daemon.toml")
    }

    @Test("The service manager hears one datagram; where there is none nothing is told")
    func notify() throws {
        let folder = try TemporaryFolder()
        let received = try NotifySocket(path: folder.path + "/n")
        let service = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": received.path]))
        #expect(service.report("READY=1", "STATUS=a\nb"))
        #expect(received.next() == "READY=1\nSTATUS=a b")
        #expect(ServiceManager(environment: [:]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": folder.path + "/none"])?.report("READY=1") == false)
    }

    @Test("A watchdog counts where it is meant for this process")
    func watchdog() {
        func watchdog(_ more: [String: String]) -> Duration? {
            ServiceManager(environment: ["NOTIFY_SOCKET": "/n"].merging(more) { $1 }, pid: 7)?.watchdog
        }
        #expect(watchdog([:]) == nil)
        #expect(watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(30))
        for bad in [["WATCHDOG_USEC": "1", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "x"], ["WATCHDOG_USEC": "-5"]] {
            #expect(watchdog(bad) == nil)
        }
    }

    @Test(
        "Sockets of a service manager that are not meant for this process are left alone",
        arguments: [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "8", "LISTEN_FDS": "1"], ["LISTEN_PID": "7", "LISTEN_FDS": "x"],
            ["LISTEN_PID": "7", "LISTEN_FDS": "0"], ["LISTEN_PID": "7", "LISTEN_FDS": "99999999"],
        ])
    func inherited(environment: [String: String]) {
        #expect(InheritedSockets.all(environment: environment, pid: 7).isEmpty)
    }

    @Test("The path of an inherited Unix socket is known, that of another one is not")
    func inheritedPath() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        let socket = try NotifySocket(path: path)
        #expect(InheritedSockets.path(of: .inherited(descriptor: socket.file, isLocal: true)) == path)
        #expect(InheritedSockets.path(of: .inherited(descriptor: socket.file, isLocal: false)) == nil)
        #expect(InheritedSockets.path(of: .unix(path: path)) == nil)
    }

    @Test(
        "A file's URL is nothing but letters that mean themselves",
        arguments: [
            ("/a/b c.iso", "file:///a/b%20c.iso"), ("/'\"]$%", "file:///%27%22%5D%24%25"),
            ("/\u{e4}\n", "file:///%C3%A4%0A"),
        ])
    func fileURL(path: String, url: String) {
        #expect(FileOpener.fileURL(path) == url)
        #expect(FileOpener.showItems(path).contains("['\(url)']"))
    }

    @Test("What was chosen at a notification opens the file or its folder; without a file manager the folder alone")
    func opening() async throws {
        let folder = try TemporaryFolder()
        func program(_ name: String, _ text: String) throws {
            let path = folder.path + "/" + name
            try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        func reported(_ name: String) -> String? {
            try? String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
        }
        let opener = FileOpener(environment: ["PATH": folder.path])
        await #expect(throws: DownloadError.self) { try await opener.open("/d/a b") }
        try program("xdg-open", "printf '%s|' \"$@\" >> '\(folder.path)/opened'")
        try await opener.open("/d/a b")
        try await opener.show("/d/a b")
        #expect(reported("opened") == "/d/a b|/d/|")
        try program("gdbus", "printf '%s|' \"$@\" >> '\(folder.path)/shown'")
        try await opener.show("/d/a b")
        #expect(reported("opened") == "/d/a b|/d/|")
        #expect(reported("shown")?.hasSuffix("ShowItems|['file:///d/a%20b']||") == true)
    }

    @Test("What the daemon does fits a line")
    func status() {
        #expect(StatusText.text(DownloadSummary()) == "idle")
        let busy = DownloadSummary(counts: [.running: 2, .waiting: 5, .failed: 1, .finished: 9], speed: 3_100_000)
        #expect(
            StatusText.text(busy).hasPrefix("2 running at ") && StatusText.text(busy).hasSuffix(", 5 waiting, 1 failed")
        )
        #expect(StatusText.text(DownloadSummary(counts: [.running: 1], speed: .infinity)).hasPrefix("1 running at "))
    }

    @Test("The unit runs this program, whatever its path holds")
    func units() throws {
        let files = Dictionary(
            uniqueKeysWithValues: SystemdUnits(program: "/a b/100%/$x\"y").files.map { ($0.name, $0.text) })
        #expect(files["haul.service"]?.contains("ExecStart=\"/a b/100%%/$$x\\\"y\" daemon run\n") == true)
        #expect(files["haul.service"]?.contains("Type=notify\n") == true)
        #expect(
            files["haul.socket"]?.contains("ListenStream=%t/haul/daemon.sock\nSocketMode=0600\nDirectoryMode=0700\n")
                == true)
    }

    @Test("A query is read as forms write it")
    func query() {
        func read(_ text: String) -> [String] { QueryFields.read(text).map { "\($0.name)=\($0.value)" } }
        #expect(read("a=1&b=x+y%21&&c&d=%&e=%ff&f==") == ["a=1", "b=x y!", "c=", "d=%", "e=%ff", "f=="])
        #expect(read("").isEmpty)
    }
}

import Foundation
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import NIOCore
import Testing

@testable import HaulClient

@Suite("What the daemon and its clients say", .usesSockets, .enabled(if: DaemonProcess.isBuilt))
struct DaemonMessageTests {
    @Test("add starts no daemon on the socket of a service, nor where that is turned off")
    func noAutoStart() async throws {
        let home = try DaemonHome()
        let file = home.folder.path + "/.config/haul/daemon.toml"
        try FileManager.default.createDirectory(
            atPath: home.folder.path + "/.config/haul", withIntermediateDirectories: true)
        for (text, environment, reason) in [
            ("", ["HAUL_SOCKET": home.socket], "HAUL_SOCKET names the socket of a service"),
            ("", ["HAUL_NO_AUTOSTART": "1"], "HAUL_NO_AUTOSTART is set"),
            ("autostart = false\n", [:], "the setting autostart is false"),
            ("socket = \"\(home.socket)\"\n", [:], "the setting socket names the socket of a service"),
        ] {
            try Data(text.utf8).write(to: URL(filePath: file))
            let end = try await home.run(["add", "http://127.0.0.1:1/x"], environment)
            #expect(end.status == 5 && end.error.contains("none was started because \(reason)"), "\(end.error)")
            #expect(!FileManager.default.fileExists(atPath: home.folder.path + "/.local/state/haul/downloads.sqlite"))
            #expect(!FileManager.default.fileExists(atPath: home.socket))
        }
    }

    @Test("A socket that may not be used is not one where no daemon answers")
    func forbidden() async {
        let client = DaemonClient(.unix(path: "/s"))
        #expect(client.gone(IOError(errnoCode: EACCES, reason: "connect")).code == .notAuthorized)
        #expect(client.gone(IOError(errnoCode: EACCES, reason: "connect")).message.contains("permission denied"))
        #expect(client.gone(IOError(errnoCode: ENOENT, reason: "connect")).code == .connectionFailed)
        await client.close()
    }

    @Test("A misspelt variable is reported by the daemon and by its clients")
    func variables() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home, environment: ["HAUL_ROOTZ": "/x"])
        #expect(home.logged.contains("HAUL_ROOTZ is not a setting: did you mean HAUL_ROOTS?"))
        #expect(await daemon.stop() == 0)
        let end = try await home.run(["list"], ["HAUL_SOKET": "/x", "HAUL_NO_AUTOSTART": "1"])
        #expect(end.error.contains("HAUL_SOKET is not a setting: did you mean HAUL_SOCKET?"), "\(end.error)")
    }

    @Test("A port that is taken, a configuration and a hook command that do not exist: one clear line each")
    func starts() async throws {
        let home = try DaemonHome("port = 0\n")
        let daemon = try DaemonProcess(home)
        let client = home.client
        let port = try #require(try await client.info().port)
        await client.close()
        let other = try DaemonHome("port = \(port)\n")
        let taken = try await other.run(["daemon", "run"] + other.arguments)
        #expect(taken.status == 18 && taken.error.contains("127.0.0.1:\(port): another program is using it"))
        let missing = try await other.run(["daemon", "run", "--config", "/no/such/file"])
        #expect(missing.status == 18 && missing.error == "haul: the configuration file /no/such/file does not exist\n")
        try other.configure("[[hooks]]\non = [\"failed\"]\ncommand = [\"/no/such/program\"]\n")
        let hook = try await other.run(["daemon", "run"] + other.arguments)
        #expect(hook.status == 2 && hook.error.contains("hooks: the command \"/no/such/program\" does not exist"))
        for end in [taken, missing, hook] {
            #expect(end.error.split(separator: "\n").count == 1, "\(end.error)")
            for inside in ["bind(", "EventLoop", "Error Domain", "NS"] { #expect(!end.error.contains(inside)) }
        }
        #expect(await daemon.stop() == 0)
    }

    @Test("status names the token of the daemon that answers, and SIGHUP what needs a restart")
    func statusAndReload() async throws {
        let home = try DaemonHome("port = 0\n")
        let daemon = try DaemonProcess(home)
        let status = try await home.run(["daemon", "status", "--socket", home.socket])
        #expect(status.output.contains("the token in \(home.state)/token"), "\(status.output)")
        let client = home.client
        #expect(try await client.info().stateFolder == home.state)
        try home.configure("port = 1\nhosts = [\"h\"]\njobs = 7\n")
        daemon.signal(SIGHUP)
        while try await client.settings().jobs != 7 {}
        while !home.logged.contains("changed settings require a restart") { _ = try await client.info() }
        #expect(home.logged.contains("changed settings require a restart settings=\"port, hosts\""))
        for jobs in [8, 9] {
            try home.configure("port = 1\nhosts = [\"h\"]\njobs = \(jobs)\n")
            daemon.signal(SIGHUP)
            while try await client.settings().jobs != jobs {}
        }
        #expect(home.logged.components(separatedBy: "require a restart").count == 2)
        await client.close()
        #expect(await daemon.stop() == 0)
    }
}

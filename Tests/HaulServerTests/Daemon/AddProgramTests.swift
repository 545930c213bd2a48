import Foundation
import HaulClient
import HaulTestTraits
import HaulTesting
import HaulWire
import Testing

@Suite("haul add as a program", .usesSockets, .enabled(if: DaemonProcess.isBuilt))
struct AddProgramTests {
    @Test("folders are created inside a root; outside, the list, the line, the folder and the roots are named")
    func folders() async throws {
        try await FaultServer.run(["/a": .file(seed: 76, size: 1000)]) { server in
            let home = try DaemonHome()
            let daemon = try DaemonProcess(home)
            let (url, list) = (server.url("/a"), home.folder.path + "/list")
            let text = "\(url)?1\n out=l/a\n\(url)?2\n dir=/etc\n"
            try Data(text.utf8).write(to: URL(filePath: list))
            for (arguments, status) in [
                (["-d", home.root + "/d/e", url + "?3"], 0), (["-o", "o/a", url + "?4"], 0), (["-i", list], 2),
            ] as [([String], Int32)] {
                let end = try await home.run(["add"] + arguments, ["HAUL_SOCKET": home.socket])
                #expect(end.status == status, "\(end.error)")
                guard status != 0 else { continue }
                let reason = "/etc is outside the daemon's roots (\(home.root))"
                #expect(end.error.hasPrefix("haul: \(list), line 3: \(url)?REDACTED: \(reason)"), "\(end.error)")
            }
            let watch = try await home.run(["watch", "--all"], ["HAUL_SOCKET": home.socket])
            #expect(watch.status == 0, "\(watch.error)")
            for path in ["d/e/a", "o/a", "l/a"] {
                #expect(FileManager.default.fileExists(atPath: "\(home.root)/\(path)"), "\(path)")
            }
            #expect(await daemon.stop() == 0)
        }
    }

    @Test("a daemon that can't be started: its reason, and its exit code")
    func portInUse() async throws {
        let (first, second) = (try DaemonHome(), try DaemonHome())
        let daemon = try DaemonProcess(first, ["--port", "0"])
        let client = first.client
        let port = try #require(try await client.info().port)
        await client.close()
        let folder = second.folder.path + "/.config/haul"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("roots = [\"\(second.root)\"]\nport = \(port)\n".utf8).write(
            to: URL(filePath: folder + "/daemon.toml"))
        let end = try await second.run(["add", "http://h.test/a"])
        #expect(end.status == 18 && end.error.contains("127.0.0.1:\(port)"), "\(end.error)")
        #expect(await daemon.stop() == 0)
    }

    @Test("a finished download whose file has changed, or has another checksum than the given one, is an error")
    func finishedBefore() async throws {
        let file = Resource.file(seed: 78, size: 1000)
        try await FaultServer.run(["/a": file]) { server in
            let home = try DaemonHome()
            let daemon = try DaemonProcess(home)
            let url = server.url("/a")
            let right = "sha256:\(try Digests.sha256(file.allBytes).hex)"
            func add(_ arguments: String...) async throws -> (status: Int32, error: String) {
                let end = try await home.run(["add"] + arguments + [url], ["HAUL_SOCKET": home.socket])
                return (end.status, end.error)
            }
            #expect(try await add("--wait").status == 0)
            #expect(try await add("--wait").status == 0)
            #expect(try await add("--wait", "--checksum", right).status == 0)
            let wrong = try await add("--wait", "--checksum", "sha256:" + String(repeating: "0", count: 64))
            #expect(wrong.status == 16, "\(wrong.error)")
            #expect(wrong.error.hasPrefix("haul: \(url): already downloaded as #1 to \(home.root)/a: wrong checksum"))
            try Data([1, 2, 3]).write(to: URL(filePath: home.root + "/a"))
            for arguments in [["--wait"], []] {
                let end = try await home.run(["add"] + arguments + [url], ["HAUL_SOCKET": home.socket])
                #expect(
                    end.status == 18 && end.error.contains("/a: the file has changed: 3 bytes instead of 1000"),
                    "\(end.error)")
                #expect(end.error.hasSuffix(": to download it again: haul retry 1\n"), "\(end.error)")
            }
            try FileManager.default.removeItem(atPath: home.root + "/a")
            #expect(try await add("--wait").status == 0)
            #expect(FileManager.default.contents(atPath: home.root + "/a") == Data(file.allBytes))
            #expect(await daemon.stop() == 0)
        }
    }

    @Test("a download in the list that is not finished is not joined with a checksum that it is not verified against")
    func unfinishedBefore() async throws {
        let home = try DaemonHome()
        let daemon = try DaemonProcess(home)
        let environment = ["HAUL_SOCKET": home.socket]
        #expect(try await home.run(["add", "--paused", "http://h.test/a"], environment).status == 0)
        let checksum = "sha256:" + String(repeating: "0", count: 64)
        let end = try await home.run(["add", "--checksum", checksum, "http://h.test/a"], environment)
        #expect(
            end.error == "haul: http://h.test/a: in the list as #1 without a checksum: "
                + "to use the new one: haul remove 1, and add it again\n")
        #expect(end.status == 2, "\(end.error)")
        #expect(await daemon.stop() == 0)
    }

    @Test(
        "list and show leave the values of queries out, unless --show-secrets asks for them; what is finished is not added again"
    )
    func secrets() async throws {
        try await FaultServer.run(["/a": .file(seed: 77, size: 1000)]) { server in
            let home = try DaemonHome()
            let daemon = try DaemonProcess(home)
            let environment = ["HAUL_SOCKET": home.socket]
            let url = server.url("/a?token=hush")
            let added = try await home.run(["add", url], environment)
            #expect(added.status == 0 && added.output.hasPrefix("added 1  a  to \(home.root)"), "\(added.output)")
            #expect(try await home.run(["watch"], environment).status == 0)
            let again = try await home.run(["add", url], environment)
            #expect(
                again.output == "already downloaded as #1  a  to \(home.root)/a; to download it again: haul retry 1\n",
                "\(again.output)")
            for command in [["list", "--json"], ["show", "1"], ["show", "1", "--json"], ["retry", "1", "--json"]] {
                let end = try await home.run(command, environment)
                #expect(end.status == 0 && !end.output.contains("hush"), "\(command): \(end.output)\(end.error)")
                guard command[0] != "retry" else { continue }
                let open = try await home.run(command + ["--show-secrets"], environment)
                #expect(open.output.contains("token=hush"), "\(command): \(open.output)")
            }
            #expect(await daemon.stop() == 0)
        }
    }
}

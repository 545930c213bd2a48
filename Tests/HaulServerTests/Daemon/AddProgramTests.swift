import Foundation
import HaulClient
import HaulTesting
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
}

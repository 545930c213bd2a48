import Foundation
import Haul
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Folders and the program", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
struct FolderProgramTests {
    @Test("-d, -o and a list's out create folders") func created() async throws {
        let content = Resource.file(seed: 3, size: 200_000)
        try await FaultServer.run(["/f": content]) { server in
            let folder = try TemporaryFolder()
            let url = server.url("/f")
            #expect(try await BuiltProgram.run(["get", "-d", "x/y", url], in: folder).status == 0)
            #expect(try await BuiltProgram.run(["get", "-o", "o/p/q", url], in: folder).status == 0)
            #expect(try await BuiltProgram.run(["get", "-d", "d", "-o", "e/f", url], in: folder).status == 0)
            let list = "\(url)\n  out=sub/dir/a\n\(url)\n  dir=other\n  out=b\n"
            #expect(try await BuiltProgram.run(["get", "-i", "-"], in: folder, input: list).status == 0)
            for name in ["x/y/f", "o/p/q", "d/e/f", "sub/dir/a", "other/b"] {
                #expect(folder.bytes(name) == content.allBytes, "\(name)")
            }
        }
    }

    @Test("a folder that can't be created fails with its name, and nothing is asked of the server") func refused()
        async throws
    {
        try await FaultServer.run(["/f": .file(seed: 3, size: 1000)]) { server in
            let folder = try TemporaryFolder()
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/link", withDestinationPath: folder.path + "/elsewhere")
            let end = try await BuiltProgram.run(["get", "-d", "link/x", server.url("/f")], in: folder)
            #expect(end.status == 18 && end.error.contains("can't create the folder link:"), "\(end.error)")
            #expect(server.log.requests.isEmpty && folder.names == ["link"])
        }
    }

    @Test("the folders in a Metalink's names are created, and no link is followed for them") func metalink()
        async throws
    {
        let content = Resource.file(seed: 3, size: 1000)
        try await FaultServer.run(["/f": content, "/g": content]) { server in
            let folder = try TemporaryFolder()
            func document(_ names: String...) -> String {
                let files = names.map { "<file name='\($0)'><url>\(server.url("/f"))</url></file>" }.joined()
                return "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files)</metalink>"
            }
            try folder.put(Array(document("a/x.bin", "b/c/x.bin", "x.bin").utf8), "m.meta4")
            let end = try await BuiltProgram.run(["get", "--metalink", "m.meta4", "-d", "in"], in: folder)
            #expect(end.status == 0, "\(end.error)")
            for name in ["in/a/x.bin", "in/b/c/x.bin", "in/x.bin"] {
                #expect(folder.bytes(name) == content.allBytes, "\(name)")
            }
            try FolderMaker.make(folder.path + "/elsewhere")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/in/link", withDestinationPath: folder.path + "/elsewhere")
            try folder.put(Array(document("link/x.bin").utf8), "m.meta4")
            let refused = try await BuiltProgram.run(["get", "--metalink", "m.meta4", "-d", "in"], in: folder)
            #expect(refused.status == 18 && refused.error.contains("in/link:"), "\(refused.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/elsewhere").isEmpty)
        }
    }
}

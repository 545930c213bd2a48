import Foundation
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Existing files and the program", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
struct ExistingFileProgramTests {
    static let content = Resource.file(seed: 3, size: 300_000)

    @Test(
        "a control file of another program goes with the file that is replaced, so that skip does not fail afterwards")
    func staleControl() async throws {
        try await FaultServer.run(["/f": Self.content]) { server in
            for (control, bytes) in [("f.aria2", ControlFiles.aria2), ("f.st", ControlFiles.axel)] {
                let folder = try TemporaryFolder()
                try folder.put([1, 2, 3], "f")
                try folder.put(bytes, control)
                func run(_ policy: String) async throws -> BuiltProgram.End {
                    try await BuiltProgram.run(["get", "--on-conflict", policy, server.url("/f")], in: folder)
                }
                #expect(try await run("skip").status == 19)
                #expect(try await run("replace").status == 0)
                #expect(
                    folder.bytes("f") == Self.content.allBytes && folder.names.filter { $0.hasPrefix("f") } == ["f"])
                #expect(try await run("skip").status == 0)
            }
        }
    }

    @Test("skip: three URLs with one file name are one file and two errors, in every run")
    func oneName() async throws {
        let resources = ["a", "b", "c"].enumerated().map {
            ("/\($0.element)/x", Resource.file(seed: UInt64($0.offset), size: 3000))
        }
        try await FaultServer.run(Dictionary(uniqueKeysWithValues: resources)) { server in
            let folder = try TemporaryFolder()
            let urls = resources.map { server.url($0.0) }
            for _ in 0..<3 {
                let end = try await BuiltProgram.run(["get", "--on-conflict", "skip"] + urls, in: folder)
                #expect(end.status == 19, "\(end.error)")
                for url in urls.dropFirst() {
                    let line =
                        "haul: x: ./x is the file of \(urls[0]), so \(url) was not downloaded (both URLs have the same "
                        + "file name)"
                    #expect(end.error.contains(line), "\(end.error)")
                }
                let advice = end.error.ranges(of: "; give one of them another name, or add --on-conflict rename\n")
                #expect(advice.count == 1, "\(end.error)")
                #expect(folder.bytes("x") == resources[0].1.allBytes)
            }
        }
    }

    @Test(
        "two spellings of one path in a list are one file and one error", arguments: ["skip", "replace", "keep"],
        [1, 3])
    func spellings(policy: String, jobs: Int) async throws {
        let files = [Resource.file(seed: 1, size: 3000), .file(seed: 2, size: 3000)]
        try await FaultServer.run(["/a": files[0], "/b": files[1]]) { server in
            let folder = try TemporaryFolder()
            let list = "\(server.url("/a"))\n  dir=d\n  out=x\n\(server.url("/b"))\n  dir=\(folder.path)/d/.\n  out=x\n"
            let end = try await BuiltProgram.run(
                ["get", "-i", "-", "--on-conflict", policy, "--jobs", "\(jobs)"], in: folder, input: list)
            #expect(end.status == 19 && end.error.contains("is the file of \(server.url("/a"))"), "\(end.error)")
            #expect(folder.bytes("d/x") == files[0].allBytes)
        }
    }

    @Test("replace: a file that replaces that of another URL of the same run is reported")
    func replaced() async throws {
        let named = { (seed: UInt64) in
            Resource.file(seed: seed, size: 300_000).contentDisposition("attachment; filename=x")
        }
        try await FaultServer.run(["/a": named(1), "/b": named(2)]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(
                ["get", "-j1", "--on-conflict", "replace", server.url("/a"), server.url("/b")], in: folder)
            #expect(end.status == 19 && end.error.contains("was the file of \(server.url("/a"))"), "\(end.error)")
            #expect(folder.names == ["x"])
        }
    }

    @Test("an existing file: the error names --continue, which ends with 0 if the file is complete")
    func completes() async throws {
        try await FaultServer.run(["/f": Self.content]) { server in
            let folder = try TemporaryFolder()
            try folder.put(Self.content.allBytes, "f")
            let end = try await BuiltProgram.run(["get", server.url("/f")], in: folder)
            #expect(
                end.status == 19 && end.error.contains("; if another program left it unfinished: --continue"),
                "\(end.error)")
            let again = try await BuiltProgram.run(["get", "--continue", server.url("/f")], in: folder)
            #expect(again.status == 0 && folder.bytes("f") == Self.content.allBytes, "\(again.error)")
            // Of the server's date by now, it is kept as it is.
            #expect(try await BuiltProgram.run(["get", "--continue", server.url("/f")], in: folder).status == 0)
            var other = Self.content.allBytes
            other[0] ^= 1
            try folder.put(other, "f")
            #expect(try await BuiltProgram.run(["get", "--continue", server.url("/f")], in: folder).status == 19)
            #expect(folder.bytes("f") == other)
        }
    }
}

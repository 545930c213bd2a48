import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Metalinks of the command line", .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
struct MetalinkFilesTests {
    @Test("one that can't be used is an error of one line, from a file and from a server")
    func refused() async throws {
        let page = "<!DOCTYPE html><html></html>"
        try await FaultServer.run(["/m": .text(page)]) { server in
            let folder = try TemporaryFolder()
            try folder.put(Array(page.utf8), "m")
            for place in ["m", server.url("/m")] {
                let end = try await BuiltProgram.run(["get", "--metalink", place], in: folder)
                #expect(end.status == 2)
                #expect(end.error.hasPrefix("haul: --metalink \(place): not a valid Metalink: it is a web page (HTML)"))
                #expect(end.error.split(separator: "\n").count == 1)
            }
        }
    }

    @Test("a run that is stopped while it fetches a document leaves nothing behind")
    func stopped() async throws {
        try await FaultServer.run(["/m": .text("").script { _ in .silence() }]) { server in
            let folder = try TemporaryFolder()
            // The folder with the document is in TMPDIR; it exists once the request is about to be sent.
            let script =
                "TMPDIR=$PWD \"$0\" get --metalink \"$1\" & "
                + "until ls haul-* > found 2>&1; do sleep 0.05; done; sleep 0.1; kill -TERM $!; wait $!"
            let end = try await BuiltProgram.run(
                ["-c", script, BuiltProgram.path, server.url("/m")], in: folder, program: "/bin/sh")
            #expect(end.status == 143 && end.error.isEmpty, "\(end.error)")
            #expect(folder.names.filter { $0.hasPrefix("haul-") }.isEmpty)
        }
    }

    @Test("the options of a host are used for its Metalinks, and secrets go to no host that only a Metalink names")
    func options() async throws {
        let content = Resource.file(seed: 3, size: 1000)
        try await FaultServer.run(["/f": content]) { server in
            let document = """
                <metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='x'>\
                <url>\(server.url("/f"))</url></file></metalink>
                """
            server.set("/m", .text(document))
            let folder = try TemporaryFolder()
            try folder.put(Array(document.utf8), "m")
            try folder.put(Array("[host.\"127.0.0.1\"]\nheader = \"X-Key: 1\"".utf8), "config")
            func get(_ arguments: String...) async throws -> BuiltProgram.End {
                try await BuiltProgram.run(["get", "--on-conflict", "replace"] + arguments, in: folder)
            }
            let remote = try await get("--config", "config", "--metalink", server.url("/m"))
            #expect(remote.status == 0, "\(remote.error)")
            #expect(server.requests("/m").last?.facts.header("X-Key") == "1")
            #expect(server.requests("/f").last?.facts.header("X-Key") == "1")
            let stranger = try await get("-H", "X-Other: 2", "--metalink", "m")
            #expect(stranger.status == 0, "\(stranger.error)")
            #expect(server.requests("/f").last?.facts.header("X-Other") == nil)
            #expect(stranger.error.contains("not sent to 127.0.0.1"), "\(stranger.error)")
            let granted = try await get("--config", "config", "--metalink", "m")
            #expect(granted.status == 0 && !granted.error.contains("not sent"), "\(granted.error)")
            #expect(server.requests("/f").last?.facts.header("X-Key") == "1")
        }
    }
}

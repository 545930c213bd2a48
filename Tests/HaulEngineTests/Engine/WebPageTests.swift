import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulEngine

@Suite("Web pages under other files' names", .usesSockets)
struct WebPageTests {
    @Test("a page under a file's name is told of; under a page's it is nobody's business", arguments: [3000, 600_000])
    func reported(size: Int64) async throws {
        let page = Resource.file(seed: 41, size: size).script(
            ServerScript.normal.header("Content-Type", "text/html; charset=utf-8"))
        try await FaultServer.run(["/f.zip": page, "/f.html": page, "/f": page]) { server in
            for (name, isNamed) in [("f.zip", true), ("f.html", false), ("f", false)] {
                try await EngineHarness.run { harness in
                    _ = try await harness.run(harness.spec(server.url("/" + name), name)).get()
                    #expect(harness.bytes(name)?.count == Int(size))
                    #expect(harness.events.contains(.notice(.webPage)) == isNamed, "\(name)")
                }
            }
        }
    }

    @Test(
        "a page, such as that of an expired login, does not replace bytes of the file, however its name is chosen",
        arguments: ["given", "by the server", "numbered", "of unknown size"])
    func keepsBytes(name: String) async throws {
        var file = Resource.file(seed: 42, size: 2_000_000)
        if name == "by the server" { file = file.contentDisposition("attachment; filename=f.zip") }
        if name == "of unknown size" { file = file.script(.chunked()) }
        let page = Resource.file(seed: 43, size: 3000).script(ServerScript.normal.header("Content-Type", "text/html"))
        try await FaultServer.run(["/f.zip": file], throttle: 1_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.zip"), "f.zip")
                if name == "by the server" { spec.destination = .folder(path: harness.folder.path) }
                if name == "numbered" {
                    spec.onConflict = .rename
                    try harness.folder.put([1], "f.zip")
                }
                let final = name == "numbered" ? "f (1).zip" : "f.zip"
                try await harness.interrupt(spec, after: 500_000, server)
                server.throttle(nil)
                server.set("/f.zip", page)
                #expect(await harness.run(spec).code == .unexpectedStatus)
                #expect(harness.names.contains("\(final).part") && !harness.names.contains(final))
                server.set("/f.zip", file)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes(final) == file.allBytes)
                #expect((harness.resumedBytes.last ?? 0) > 100_000)
            }
        }
    }

    @Test("it is an error if the caller says so, and nothing is left", arguments: [3000, 600_000])
    func refused(size: Int64) async throws {
        let page = Resource.file(seed: 41, size: size).script(ServerScript.normal.header("Content-Type", "TEXT/HTML"))
        try await FaultServer.run(["/f.zip": page]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f.zip"), "f.zip")
                spec.failsOnHTML = true
                let result = await harness.run(spec)
                #expect(result.code == .unexpectedStatus)
                #expect(harness.names.isEmpty)
            }
        }
    }
}

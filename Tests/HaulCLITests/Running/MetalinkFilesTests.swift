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
}

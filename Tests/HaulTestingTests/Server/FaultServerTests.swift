import HaulTesting
import Testing

/// The exam of the examiner: each fault does what it says.
///
/// One test at a time, because some measure time.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FaultServerTests {
    /// The file that most tests serve.
    static let file = Resource.file(seed: 1, size: 300_000).etag("\"v1\"")

    /// Serves `file` with a script, asks for it once, and hands over the client.
    static func withResponse(
        _ script: ServerScript, _ headers: String..., patience: Duration = .seconds(10),
        _ body: (RawClient, FaultServer) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": file.script(script)]) { server in
            let client = RawClient(server.port, patience: patience)
            client.send((["GET /f HTTP/1.1"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
            try await body(client, server)
        }
    }
}

import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Logging
import Testing

@testable import HaulEngine

@Suite("The log of requests", .usesSockets)
struct LoggedTransportTests {
    /// Returns the messages of a download that is redirected.
    private func messages(_ level: Logger.Level, size: Int64 = 300_000) async throws -> [String] {
        let log = LogLines()
        let file = Resource.file(seed: 6, size: size).etag("\"v1\"")
        let start = Resource.redirect(to: "/f?key=hunter2")
        try await FaultServer.run(["/f": file, "/start": start]) { server in
            try await EngineHarness.run {
                $0.logger = log.logger(level)
            } _: { harness in
                var spec = harness.spec(server.url("/start?token=hunter1"))
                spec.headers = [
                    .init(name: "Cookie", value: "hunter3"), .init(name: "Authorization", value: "hunter4"),
                ]
                _ = try await harness.run(spec, RunOptions(spec, watch: nil, expectsSmall: size < 10_000)).get()
            }
        }
        return log.lines.map(\.message)
    }

    @Test("each request and each response is one line, also after a redirect", arguments: [300_000, 1000] as [Int64])
    func lines(size: Int64) async throws {
        let lines = try await messages(.debug, size: size).filter { $0.contains(": ") }
        try #require(lines.count >= 4, "\(lines)")
        #expect(lines[0].hasPrefix("request 1: GET http://127.0.0.1:") && lines[0].contains("/start?token=REDACTED"))
        #expect(lines[1].hasPrefix("response 1: 302; Location: /f?key=REDACTED; "), "\(lines[1])")
        #expect(lines[2].hasPrefix("request 2: GET http://127.0.0.1:") && lines[2].contains("/f?key=REDACTED"))
        #expect(lines[3].hasPrefix("response 2: 20"), "\(lines[3])")
        #expect(lines[3].contains("; Content-Length: \(size); ") && lines[3].contains("; ETag: \"v1\""), "\(lines[3])")
        #expect(!lines.contains { $0.contains("hunter") })
    }

    @Test("nothing is logged at a higher level")
    func off() async throws {
        #expect(try await messages(.info).isEmpty)
    }

    @Test("ranges and their condition are logged")
    func ranges() async throws {
        let log = LogLines()
        let file = Resource.file(seed: 6, size: 1_000_000).etag("\"v1\"").script {
            $0.number == 1 ? .cut(after: 600_000) : .normal
        }
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run {
                $0.logger = log.logger(.debug)
            } _: { harness in
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
            }
        }
        let lines = log.lines.map(\.message)
        let isConditional = lines.contains {
            $0.hasPrefix("request") && $0.contains("; Range: bytes=") && $0.contains("; If-Range: \"v1\"")
        }
        let isPart = lines.contains {
            $0.hasPrefix("response") && $0.contains(": 206; ") && $0.contains("Content-Range: ")
        }
        #expect(isConditional && isPart, "\(lines)")
    }
}

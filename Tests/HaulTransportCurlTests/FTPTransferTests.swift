import HTTPTypes
import HaulTransport
import Synchronization
import Testing

@testable import HaulTesting
@testable import HaulTransportCurl

@Suite(
    "Transfers from FTP servers that misbehave", .enabled(if: CurlUnavailable.reason() == nil, "libcurl is not there"))
struct FTPTransferTests {
    private typealias Connection = TransportConformanceConnection

    private static func line(of connection: Connection) async throws -> String? {
        var line = ""
        while !line.hasSuffix("\r\n") {
            guard let next = try await connection.body(count: 1) else { return nil }
            line += next
        }
        return String(line.dropLast())
    }

    /// Runs a server with one file; `replies` replaces the usual ones, by command.
    private static func run(
        _ file: String, _ replies: [String: String], _ body: (TransportConformanceServer) async throws -> Void
    ) async throws {
        try await TransportConformanceServer.run({ try await $0.send(file) }) { data in
            let port = data.port
            try await TransportConformanceServer.run(
                { control in
                    try await control.send("220 Hello\r\n")
                    while let line = try await line(of: control) {
                        let command = String(line.prefix { $0 != " " })
                        let usual =
                            switch command {
                            case "USER", "PASS": "230 Welcome"
                            case "PWD": "257 \"/\""
                            case "EPSV": "229 Here (|||\(port)|)"
                            case "TYPE": "200 Yes"
                            case "SIZE": "213 \(file.utf8.count)"
                            case "MDTM": "213 20250101120000"
                            case "RETR": "150 Coming\r\n226 Done"
                            default: "502 What?"
                            }
                        try await control.send("\(replies[command] ?? usual)\r\n")
                    }
                }, body: body)
        }
    }

    private static func fetch(_ transport: CurlTransport, _ url: String) async throws -> TransportConformanceSink.Record
    {
        let sink = TransportConformanceSink(checksPattern: false)
        _ = transport.start(TransferRequest(url: url, headers: [.range: "bytes=0-"]), sink: sink)
        try await sink.outcome()
        return sink.record
    }

    /// Runs a server with one file, and fetches it once.
    private static func fetched(
        _ file: String, _ replies: [String: String]
    ) async throws -> TransportConformanceSink.Record {
        var record = TransportConformanceSink.Record()
        try await run(file, replies) { server in
            let transport = CurlTransport()
            record = try await fetch(transport, server.url("/f", scheme: "ftp"))
            await transport.shutdown()
        }
        return record
    }

    @Test("the size of an empty response is unknown unless the server says it", arguments: [true, false])
    func emptyWithoutSize(saysSize: Bool) async throws {
        let record = try await Self.fetched("", saysSize ? [:] : ["SIZE": "502 No"])
        #expect(record.outcome == .complete && record.head?.status == .ok, "\(record)")
        #expect(record.head?.headerFields[.contentLength] == (saysSize ? "0" : nil))
    }

    @Test("a server that reports the size 0 for a file that is not empty sends all of it")
    func sizeZero() async throws {
        let record = try await Self.fetched("lions", ["SIZE": "213 0"])
        #expect(record.outcome == .complete && record.text == "lions")
        #expect(record.head?.headerFields[.contentLength] == nil)
    }

    @Test(
        "a number that only libcurl takes for the size does not end a file",
        arguments: [
            ["SIZE": "502 No", "RETR": "150 Opening connection for a (2 bytes).txt (5 bytes).\r\n226 Done"],
            ["SIZE": "502 No", "RETR": "150 Opening connection for f (3 bytes).bin\r\n226 Done"],
            ["SIZE": "502 No", "RETR": "150 Opening connection for f (5 bytes).\r\n226 Done"],
            ["SIZE": "502 No", "RETR": "150 Opening connection for f (0 bytes).\r\n226 Done"],
            ["SIZE": "502 No", "RETR": "150 Opening connection for f (0 bytes).txt (5 bytes).\r\n226 Done"],
            ["SIZE": "502 No", "MDTM": "213 2"], ["SIZE": "502 No", "MDTM": "213 7"],
            ["SIZE": "502 No", "MDTM": "213 2", "RETR": "150 Opening connection for f (2 bytes).\r\n226 Done"],
            ["SIZE": "502 No", "MDTM": "213 2", "RETR": "150 Opening connection for f (0 bytes).\r\n226 Done"],
            ["SIZE": "213 +2"], ["SIZE": "213 1,2"], ["SIZE": "213 5 bytes"],
            ["SIZE": "213 2k", "RETR": "150 Opening connection for f (2 bytes).\r\n226 Done"],
            ["SIZE": "213 5 bytes", "RETR": "150 Opening connection for f (0 bytes).\r\n226 Done"],
            ["SIZE": "213 0", "RETR": "150 Opening connection for f (0 bytes).\r\n226 Done"],
            ["SIZE": "213 -1"], ["SIZE": "213 9e2"],
        ])
    func contradiction(replies: [String: String]) async throws {
        let record = try await Self.fetched("lions", replies)
        #expect(record.outcome == .complete && record.text == "lions", "\(record)")
        #expect(record.head?.headerFields[.contentLength] == nil)
    }

    @Test("an empty file that is announced as empty is empty")
    func announcedEmpty() async throws {
        let replies = ["SIZE": "502 No", "RETR": "150 Opening connection for f (0 bytes).\r\n226 Done"]
        let record = try await Self.fetched("", replies)
        #expect(record.outcome == .complete && record.head?.headerFields[.contentLength] == "0", "\(record)")
    }

    @Test("without SIZE, a file that is shorter than announced is cut")
    func shorterThanAnnounced() async throws {
        let replies = ["SIZE": "502 No", "RETR": "150 Opening connection for f (6 bytes).\r\n226 Done"]
        let record = try await Self.fetched("lions", replies)
        guard case .failed(let error) = record.outcome else { return #expect(Bool(false), "\(record)") }
        #expect(error.kind == .cut)
    }

    /// libcurl takes the reply for that of its next command.
    @Test("a server that sends one reply too many gets a new connection after a failure")
    func surplusReply() async throws {
        try await Self.run("lions", ["RETR": "150 Coming\r\n226 Done\r\n226 Done"]) { server in
            let transport = CurlTransport()
            var outcomes: [TransferOutcome?] = []
            for _ in 0..<6 { outcomes.append(try await Self.fetch(transport, server.url("/f", scheme: "ftp")).outcome) }
            let failures = outcomes.indices.filter { outcomes[$0] != .complete }
            #expect(outcomes.first == .complete && failures.allSatisfy { outcomes[$0 - 1] == .complete }, "\(outcomes)")
            await transport.shutdown()
        }
    }

    @Test("a cancelled transfer does not wait for the server's last reply")
    func withheldReply() async throws {
        try await Self.run("lions", ["RETR": "150 Coming"]) { server in
            let transport = CurlTransport()
            let sink = TransportConformanceSink(checksPattern: false)
            let request = TransferRequest(url: server.url("/f", scheme: "ftp"), headers: [.range: "bytes=0-"])
            let transfer = transport.start(request, sink: sink)
            try await sink.wait("the head") { $0.head != nil }
            transfer.cancel()
            #expect(try await sink.outcome() == .cancelled)
            await transport.shutdown()
        }
    }
}

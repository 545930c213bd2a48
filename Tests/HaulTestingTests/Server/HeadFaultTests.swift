import HaulTesting
import Testing

extension FaultServerTests {
    struct HeadFaultTests {
        private let file = FaultServerTests.file

        @Test(
            arguments: [
                (.moved(by: 100), "bytes 1100-2099/300000"), (.lastMoved(by: -1), "bytes 1000-1998/300000"),
                (.total(5), "bytes 1000-1999/5"), (.total(nil), "bytes 1000-1999/*"),
                (.unit("items"), "items 1000-1999/300000"), (.text("bytes x"), "bytes x"), (.missing, nil),
            ] as [(ContentRangeFault, String?)])
        func liesInContentRange(_ fault: ContentRangeFault, _ value: String?) async throws {
            try await withResponse(.contentRange(fault), "Range: bytes=1000-1999") { client, _ in
                let response = try #require(client.readResponse())
                #expect(response.head.status == 206 && response.head["Content-Range"] == value)
                #expect(response.body == file.bytes(1000..<2000))
            }
        }

        @Test(arguments: ["\"v2\"", "W/\"v1\"", "garbage", nil])
        func sendsAnotherETag(_ etag: String?) async throws {
            try await withResponse(.etag(etag), "Range: bytes=1-", "If-Range: \"v1\"") { client, _ in
                let head = try #require(client.readHead())
                #expect(head.status == 200 && head["ETag"] == etag)
            }
        }

        @Test func ignoresIfRange() async throws {
            try await withResponse(.etag("\"v2\"").ignoringIfRange(), "Range: bytes=1-", "If-Range: \"v1\"") {
                client, _ in
                let head = try #require(client.readHead())
                #expect(head.status == 206 && head["ETag"] == "\"v2\"")
            }
        }

        @Test func replacesAndDropsHeaders() async throws {
            let script = ServerScript.header("Date", "never").header("X-New", "1").withoutHeader("last-modified")
            try await withResponse(script) { client, _ in
                let head = try #require(client.readHead())
                #expect(head["Date"] == "never" && head["X-New"] == "1" && head["Last-Modified"] == nil)
                #expect(head.lines.count { $0.name == "Date" } == 1)
            }
        }

        @Test(arguments: ["-1", "12x", "99999999999999999999", "5", nil])
        func liesAboutTheLength(_ length: String?) async throws {
            try await withResponse(.contentLength(length), patience: .milliseconds(300)) { client, _ in
                let head = try #require(client.readHead())
                #expect(head["Content-Length"] == length && client.readAll() == file.allBytes)
            }
        }

        @Test func floodsWithHeaders() async throws {
            try await withResponse(.headerFlood(1 << 20).contentLength("0")) { client, _ in
                let head = try #require(client.readHead())
                let size = head.lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
                #expect(size > 1 << 20 && head["X-Flood-0"]?.count == 1000)
            }
        }

        @Test func sendsInterimAnswers() async throws {
            try await withResponse(.interim(100).interim(103, ["Link": "</a>"])) { client, _ in
                #expect(client.readHead()?.status == 100)
                let hints = try #require(client.readHead())
                #expect(hints.status == 103 && hints["Link"] == "</a>" && hints["Content-Length"] == nil)
                #expect(client.readResponse()?.body == file.allBytes)
            }
        }

        @Test func closesWhenAskedTo() async throws {
            try await withResponse(.closing()) { client, _ in
                #expect(client.readHead()?["Connection"] == "close")
                #expect(client.readAll() == file.allBytes && client.end == .finished)
            }
        }
    }
}

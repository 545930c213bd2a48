import HaulTesting
import Testing

extension FaultServerTests {
    struct RightAnswerTests {
        private let file = Resource.file(seed: 1, size: 300_000).etag("\"v1\"").contentDisposition(
            "attachment; filename=a")

        @Test func aGetBringsEverything() async throws {
            try await FaultServer.run(["/f": file]) { server in
                let client = RawClient(server.port)
                client.ask("/f")
                let response = try #require(client.readResponse())
                #expect(response.head.status == 200 && response.body == file.allBytes)
                #expect(response.head["Content-Length"] == "300000" && response.head["ETag"] == "\"v1\"")
                #expect(response.head["Accept-Ranges"] == "bytes" && response.head["Date"]?.hasSuffix(" GMT") == true)
                #expect(response.head["Last-Modified"] == "Wed, 01 Jan 2025 12:00:00 GMT")
                #expect(response.head["Content-Disposition"] == "attachment; filename=a")
                #expect(
                    response.head["Content-Type"] == "application/octet-stream" && response.head["Content-Range"] == nil
                )
            }
        }

        @Test func everyRangeOfASmallFile() async throws {
            let file = Resource.text("hello")
            try await FaultServer.run(["/f": file]) { server in
                let client = RawClient(server.port)
                for first in 0..<Int64(5) {
                    for last in first..<7 {
                        client.ask("/f", "Range: bytes=\(first)-\(last)")
                        let response = try #require(client.readResponse())
                        let end = min(last, 4)
                        #expect(response.head.status == 206 && response.body == file.bytes(first..<(end + 1)))
                        #expect(response.head["Content-Range"] == "bytes \(first)-\(end)/5")
                    }
                }
                #expect(server.log.connections == 1)
            }
        }

        @Test(arguments: ["bytes=5-", "bytes=5-9", "bytes=-0"])
        func whatCanNotBeSatisfied(_ range: String) async throws {
            try await FaultServer.run(["/f": .text("hello")]) { server in
                let client = RawClient(server.port)
                client.ask("/f", "Range: \(range)")
                let response = try #require(client.readResponse())
                #expect(
                    response.head.status == 416 && response.head["Content-Range"] == "bytes */5"
                        && response.body.isEmpty)
            }
        }

        @Test(
            arguments: [
                ("\"v1\"", "\"v1\"", 206), ("\"v1\"", "\"v2\"", 200), ("W/\"v1\"", "W/\"v1\"", 200),
                (nil, "\"v1\"", 200),
                ("\"v1\"", "Wed, 01 Jan 2025 12:00:00 GMT", 206), ("\"v1\"", "Wed, 01 Jan 2025 12:00:01 GMT", 200),
            ] as [(String?, String, Int)])
        func ifRangeIsComparedStrongly(_ etag: String?, _ condition: String, _ status: Int) async throws {
            try await FaultServer.run(["/f": file.etag(etag)]) { server in
                let client = RawClient(server.port)
                client.ask("/f", "Range: bytes=100-", "If-Range: \(condition)")
                let response = try #require(client.readResponse())
                #expect(response.head.status == status && response.body.count == (status == 206 ? 299_900 : 300_000))
            }
        }

        @Test func headBringsTheHeadAlone() async throws {
            try await FaultServer.run(["/f": file]) { server in
                let client = RawClient(server.port)
                client.ask("/f", method: "HEAD")
                #expect(client.readHead()?["Content-Length"] == "300000")
                client.ask("/none", method: "HEAD")
                #expect(client.readHead()?.status == 404)
            }
        }

        @Test func requestsThatComeTogetherAreAnsweredInTurn() async throws {
            try await FaultServer.run(["/a": .text("one"), "/b": .text("two")]) { server in
                let client = RawClient(server.port)
                client.send("POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nGET /GET /b HTTP/1.1\r\n\r\n")
                #expect(client.readResponse()?.body == Array("one".utf8))
                #expect(client.readResponse()?.body == Array("two".utf8))
                let log = try await server.settled()
                #expect(log.requests.map(\.facts.numberOnConnection) == [1, 2])
            }
        }

        @Test(arguments: [("HTTP/1.1", "close", true), ("HTTP/1.0", "", true), ("HTTP/1.0", "keep-alive", false)])
        func connectionsCloseWhereTheyShould(_ version: String, _ wish: String, _ closes: Bool) async throws {
            try await FaultServer.run(["/f": .text("x")]) { server in
                let client = RawClient(server.port, patience: closes ? .seconds(10) : .milliseconds(100))
                client.ask("/f", "Connection: \(wish)", version: version)
                #expect(client.readResponse()?.head["Connection"] == (closes ? "close" : nil))
                #expect(client.readAll().isEmpty && client.end == (closes ? .finished : .silent))
            }
        }

        @Test func nonsenseGetsA400() async throws {
            try await FaultServer.run([:]) { server in
                let client = RawClient(server.port)
                client.send("nonsense\r\n\r\n")
                #expect(client.readHead()?.status == 400)
                #expect(client.readAll().isEmpty && client.end == .finished)
            }
        }

        @Test func resourcesCanBeReplacedWhileItRuns() async throws {
            try await FaultServer.run(["/f": .text("old")]) { server in
                let client = RawClient(server.port)
                client.ask("/f")
                let old = try #require(client.readResponse())
                server.set("/f", .text("new"))
                client.ask("/f")
                let new = try #require(client.readResponse())
                #expect(
                    old.body == Array("old".utf8) && new.body == Array("new".utf8)
                        && old.head["ETag"] != new.head["ETag"])
                server.set("/f", nil)
                client.ask("/f")
                #expect(client.readResponse()?.head.status == 404)
            }
        }

        @Test func aFileOfFiveGibibytesNeedsNoMemory() async throws {
            let file = Resource.file(seed: 9, size: 5 << 30)
            try await FaultServer.run(["/f": file]) { server in
                let client = RawClient(server.port)
                client.ask("/f", "Range: bytes=-10")
                #expect(client.readResponse()?.body == file.bytes((5 << 30) - 10..<(5 << 30)))
                client.ask("/f", method: "HEAD")
                #expect(client.readHead()?["Content-Length"] == "5368709120")
            }
        }

        @Test func withoutRangesEverythingComesWhole() async throws {
            try await FaultServer.run(["/f": file.withoutRanges()]) { server in
                let client = RawClient(server.port)
                client.ask("/f", "Range: bytes=5-")
                let response = try #require(client.readResponse())
                #expect(
                    response.head.status == 200 && response.head["Accept-Ranges"] == nil
                        && response.body == file.allBytes)
            }
        }
    }
}

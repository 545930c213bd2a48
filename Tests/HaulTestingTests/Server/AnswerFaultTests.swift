import HaulTesting
import Testing

extension FaultServerTests {
    struct AnswerFaultTests {
        private let file = FaultServerTests.file

        @Test func ignoresTheRange() async throws {
            try await withResponse(.ignoringRange(), "Range: bytes=1000-1999") { client, _ in
                let response = try #require(client.readResponse())
                #expect(
                    response.head.status == 200 && response.head["Content-Range"] == nil
                        && response.body == file.allBytes)
            }
        }

        @Test func callsAPartWhole() async throws {
            try await withResponse(.partCalledWhole(), "Range: bytes=1000-") { client, _ in
                let response = try #require(client.readResponse())
                #expect(response.head.status == 200 && response.head["Content-Length"] == "299000")
                #expect(response.head["Content-Range"] == nil && response.body == file.bytes(1000..<300_000))
            }
        }

        @Test func sendsLessThanAskedFor() async throws {
            try await withResponse(.partial(atMost: 500), "Range: bytes=1000-1999") { client, _ in
                let response = try #require(client.readResponse())
                #expect(response.head.status == 206 && response.head["Content-Range"] == "bytes 1000-1499/300000")
                #expect(response.body == file.bytes(1000..<1500))
            }
        }

        @Test(
            arguments: [(500, 1500, 2500), (-500, 500, 1500), (-9999, 0, 0), (999_999, 299_999, 300_000)]
                as [(Int64, Int64, Int64)])
        func sendsAnotherRangeAndSaysSo(_ distance: Int64, _ first: Int64, _ end: Int64) async throws {
            try await withResponse(.rangeMoved(by: distance), "Range: bytes=1000-1999") { client, _ in
                let response = try #require(client.readResponse())
                #expect(
                    response.head.status == 206 && response.head["Content-Range"] == "bytes \(first)-\(end - 1)/300000")
                #expect(response.body == file.bytes(first..<end))
            }
        }

        @Test func sendsMultipart() async throws {
            try await withResponse(.multipart(), "Range: bytes=0-9, 100-109") { client, _ in
                let response = try #require(client.readResponse())
                #expect(response.head.status == 206 && response.head["Content-Range"] == nil)
                #expect(response.head["Content-Type"] == "multipart/byteranges; boundary=THIS_SEPARATES")
                let head = "\r\n--THIS_SEPARATES\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes "
                let first = Array("\(head)0-9/300000\r\n\r\n".utf8) + file.bytes(0..<10)
                let second = Array("\(head)100-109/300000\r\n\r\n".utf8) + file.bytes(100..<110)
                #expect(response.body == first + second + Array("\r\n--THIS_SEPARATES--\r\n".utf8))
            }
        }

        @Test(arguments: [401, 403, 404, 410, 429, 500, 503])
        func sendsAStatusWithHeaders(_ code: Int) async throws {
            try await withResponse(.status(code, ["Retry-After": "2"]), "Range: bytes=0-") { client, _ in
                let response = try #require(client.readResponse())
                #expect(
                    response.head.status == code && response.head["Retry-After"] == "2" && response.head["ETag"] == nil)
                #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("\(code) "))
            }
        }

        @Test(arguments: [204, 304])
        func someStatusesHaveNoBody(_ code: Int) async throws {
            try await withResponse(.status(code), patience: .milliseconds(100)) { client, _ in
                let head = try #require(client.readHead())
                #expect(head.status == code && head["Content-Length"] == nil)
                #expect(client.readAll().isEmpty && client.end == .silent)
            }
        }

        @Test(arguments: ["/other", "http://127.0.0.1:1/x", "file:///etc/passwd", "", "//h/é"])
        func redirectsAnywhere(_ location: String) async throws {
            try await FaultServer.run(["/f": .redirect(to: location, status: 307)]) { server in
                let client = RawClient(server.port)
                client.ask("/f")
                let head = try #require(client.readHead())
                #expect(head.status == 307 && head["Location"] == location)
            }
        }

        @Test func sendsGarbage() async throws {
            try await withResponse(.garbage([0, 1, 2, 0xFF])) { client, _ in
                #expect(client.readAll() == [0, 1, 2, 0xFF] && client.end == .finished)
            }
        }

        @Test func sendsNothingAtAll() async throws {
            try await withResponse(.emptyReply()) { client, server in
                #expect(client.readAll().isEmpty && client.end == .finished)
                #expect(server.log.requests.first?.ending == .broken && server.log.requests.first?.status == 200)
            }
        }

        @Test func servesAnotherFileForOnce() async throws {
            let new = Resource.file(seed: 2, size: 10)
            try await withResponse(.serving(new)) { client, _ in
                let response = try #require(client.readResponse())
                #expect(response.body == new.allBytes && response.head["ETag"] == "\"2-10\"")
            }
        }

        @Test func theScriptSeesTheRequest() async throws {
            let script: ServerBehaviour = { request in
                .status(
                    200,
                    body: [
                        request.method, request.path, request.query ?? "-", "\(request.start)",
                        request.header("x-a") ?? "-",
                        "\(request.number)", "\(request.globalNumber)", "\(request.connection)",
                        "\(request.concurrent)",
                    ].joined(separator: " "))
            }
            try await FaultServer.run(["/f": Resource.text("").script(script)]) { server in
                let other = RawClient(server.port)
                other.ask("/none")
                _ = other.readResponse()
                try await server.settled()
                let client = RawClient(server.port)
                for number in 1...2 {
                    client.ask("/f?a=b", "Range: bytes=7-", "X-A: v")
                    let body = try #require(client.readResponse()?.body)
                    #expect(String(decoding: body, as: UTF8.self) == "GET /f a=b 7 v \(number) \(number + 1) 2 1")
                    try await server.settled()
                }
            }
        }
    }
}

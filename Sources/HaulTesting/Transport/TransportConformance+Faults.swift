import HTTPTypes
import HaulTestData
import HaulTransport

extension TransportConformance {
    static let faultChecks = [
        Check(description: "an end before or in the head is a cut", run: checkCutBeforeBody),
        Check(
            description: "a connection that ends when it is used again is replaced",
            run: checkStaleConnection),
        Check(description: "an end in the body is a cut, after every byte that came", run: checkCutInBody),
        Check(description: "a missing last chunk is a cut", run: checkMissingLastChunk),
        Check(
            description: "over TLS only close_notify ends a body without a length", needs: [.unverifiedCertificates],
            run: checkTLSEnds),
        Check(description: "101 is a response like any other, at once", run: checkSwitchingProtocols),
        Check(description: "broken framing is a bad response", needs: [.invalidResponses], run: checkBadResponses),
        Check(description: "of a length and chunks the chunks count, or neither", run: checkBothFramings),
        Check(description: "any bytes for an answer lead to an end", run: checkAnyBytes),
        Check(description: "a closed port refuses", run: checkRefused),
        Check(description: "a name without address is not resolved", run: checkUnknownName),
        Check(description: "a broken TLS handshake is no other failure", run: checkBrokenHandshake),
        Check(
            description: "the time to connect counts until the connection stands, TLS included",
            needs: [.timeToConnect],
            run: checkConnectTimeout),
        Check(description: "the time to connect ends with the connection", run: checkSlowHead),
        Check(description: "what can't be sent is a bad request", run: checkBadRequests),
    ]

    private static func expect(
        _ record: TransportConformanceSink.Record, fails kind: TransportError.Kind, _ what: String
    ) throws {
        guard case .failed(let error) = record.outcome, error.kind == kind else {
            throw TransportConformanceFailure("\(what): \(String(describing: record.outcome)), not failed with \(kind)")
        }
        try expect(!error.detail.isEmpty && error.detail.utf8.count < 200, "\(what): detail \"\(error.detail)\"")
    }

    static func checkCutBeforeBody(make: MakeTransport) async throws {
        for (text, resets) in [
            ("", false), ("", true), ("HTTP/1.1 20", false), ("HTTP/1.1 200 OK\r\nContent-Le", false),
        ] {
            try await TransportConformanceContext.run(make) { connection in
                _ = try await connection.request()
                if !text.isEmpty { try await connection.send(text) }
                if resets { try await connection.reset() }
            } body: { context in
                let record = try await context.fetch()
                try expect(record, fails: .cut, "cut after \"\(text)\"")
                try expect(record.head == nil, "a head out of \"\(text)\"")
            }
        }
    }

    static func checkStaleConnection(make: MakeTransport) async throws {
        for resets in [false, true] {
            try await TransportConformanceContext.run(make) { connection in
                guard try await connection.request() != nil else { return }
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}")
                _ = try await connection.request()
                if resets { try await connection.reset() }
            } body: { context in
                for number in 1...3 {
                    let record = try await context.fetch()
                    try expect(record.outcome, is: .complete, "transfer \(number), reset \(resets)")
                    try expect(context.server.connectionCount, is: number, "connections")
                }
            }
        }
    }

    static func checkCutInBody(make: MakeTransport) async throws {
        for resets in [false, true] {
            try await TransportConformanceContext.run(make) { connection in
                _ = try await connection.request()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n")
                try await connection.send(pattern: 0..<1_000_000)
                if resets { try await connection.reset() }
            } body: { context in
                let record = try await context.fetch()
                try expect(record, fails: .cut, "body cut, reset \(resets)")
                // RST lets the kernel discard data that has not been read (RFC 9293, 3.5.2).
                if !resets { try expect(record.byteCount, is: 1_000_000, "bytes before the cut") }
            }
        }
    }

    static func checkMissingLastChunk(make: MakeTransport) async throws {
        for ending in ["", "\r\n", "\r\n0\r\n", "\r\n5"] {
            try await TransportConformanceContext.run(make) { connection in
                _ = try await connection.request()
                try await connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\u{0}\u{1}\u{2}\u{3}" + ending)
            } body: { context in
                let record = try await context.fetch()
                try expect(record, fails: .cut, "chunks that end with \(ending.debugDescription)")
                try expect(record.byteCount, is: 4, "bytes")
            }
        }
    }

    /// RFC 9112, 9.8: a body that is ended only by the end of the connection is incomplete without close_notify, since
    /// an attacker on the path could truncate it with a FIN.
    static func checkTLSEnds(make: MakeTransport) async throws {
        for (head, isCut, isWhole) in [
            ("Connection: close\r\n", true, false), ("Connection: close\r\n", false, true),
            ("Content-Length: 50000\r\n", true, true), ("Content-Length: 60000\r\n", true, false),
            ("Content-Length: 60000\r\n", false, false),
        ] {
            try await TransportConformanceContext.run(make, overTLS: true) { connection in
                _ = try await connection.request()
                try await connection.send("HTTP/1.1 200 OK\r\n\(head)\r\n")
                try await connection.send(pattern: 0..<50_000)
                if isCut { try await connection.cutTLS() }
            } body: { context in
                let record = try await context.fetch(url: context.server.url(scheme: "https"), insecure: true)
                let what = "\(head.debugDescription), cut \(isCut)"
                if isWhole {
                    try expect(record.outcome, is: .complete, what)
                } else {
                    try expect(record, fails: .cut, what)
                }
                try expect(record.byteCount, is: 50_000, "bytes of \(what)")
            }
        }
    }

    static func checkSwitchingProtocols(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello")
            try await connection.closed()
        } body: { context in
            let sink = TransportConformanceSink(checksPattern: false, head: { _ in .reject })
            let (record, duration) = try await time { try await context.fetch(sink: sink) }
            try expect(record.head?.status.code, is: 101, "status")
            try expect(record.outcome, is: .rejected, "outcome")
            try expect(duration < .seconds(25), "it took \(duration)")
        }
    }

    /// RFC 9112, 6.3: chunks take precedence over Content-Length.
    ///
    /// A strict transport may reject such a response, but must not take the length for the end.
    static func checkBothFramings(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n")
        } body: { context in
            let record = try await context.fetch(sink: TransportConformanceSink(checksPattern: false))
            if record.outcome == .complete { return try expect(record.text == "abcde", "\(record)") }
            try expect(record, fails: .badResponse, "both framings")
        }
    }

    static func checkBadResponses(make: MakeTransport) async throws {
        let ok = "HTTP/1.1 200 OK\r\n"
        let answers = [
            ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n-4\r\nabcd\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nabcd\r\n",
            ok + "Content-Length: -5\r\n\r\nabcde",
            ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
            ok + "Content-Length: 99999999999999999999999\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
            "\u{1}\u{2}\u{3}\u{4}\r\n\r\n",
        ]
        for response in answers {
            try await TransportConformanceContext.run(make) { connection in
                _ = try await connection.request()
                try await connection.send(response)
                try await connection.closed()
            } body: { context in
                let record = try await context.fetch(sink: TransportConformanceSink(checksPattern: false))
                try expect(record, fails: .badResponse, response.debugDescription)
                try expect(record.byteCount, is: 0, "bytes of \(response.debugDescription)")
            }
        }
    }

    /// Each response is a correct one with a few bytes changed, doubled or removed.
    static func checkAnyBytes(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            let request = try await connection.request() ?? ""
            let isChunked = request.hasPrefix("GET /1")
            let body =
                isChunked ? "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n" : "Content-Length: 4\r\n\r\nabcd"
            var random = SeededGenerator(seed: UInt64(request.dropFirst("GET /".count).prefix { $0.isNumber }) ?? 0)
            var response = Array(("HTTP/1.1 200 OK\r\nServer: x\r\n" + body).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<response.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: response[index] = UInt8.random(in: 0...255, using: &random)
                case 1: response.remove(at: index)
                case _: response.insert(contentsOf: response[index..<min(index + 20, response.count)], at: index)
                }
            }
            try await connection.send(bytes: response)
        } body: { context in
            for seed in 0..<200 {
                let record = try await context.fetch("/\(seed)", sink: TransportConformanceSink(checksPattern: false))
                try expect(record.outcome != .cancelled, "seed \(seed): cancelled by nobody")
            }
        }
    }

    static func largeHeadCheck(_ bytes: Int) -> Check {
        Check(description: "a head of \(bytes) bytes arrives, a too large one is a bad response") { make in
            try await checkLargeHeads(make: make, fields: bytes / 5000)
        }
    }

    private static func checkLargeHeads(make: MakeTransport, fields: Int) async throws {
        try await TransportConformanceContext.run(make) { connection in
            let field = "X-Filler: " + String(repeating: "f", count: 5000) + "\r\n"
            while let request = try await connection.request() {
                while request.hasPrefix("GET /interim") { try await connection.send("HTTP/1.1 103 X\r\n\(field)\r\n") }
                let count = request.hasPrefix("GET /allowed") ? fields : 240
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
                for _ in 0..<count { try await connection.send(field) }
                while request.hasPrefix("GET /endless") { try await connection.send(field) }
                try await connection.send("\r\n")
            }
        } body: { context in
            let allowed = try await context.fetch("/allowed")
            try expect(allowed.outcome, is: .complete, "large head")
            try expect(allowed.head?.headerFields.count, is: fields + 1, "fields")
            try expect(try await context.fetch("/large"), fails: .headTooLarge, "head of 1.2 MB")
            try expect(try await context.fetch("/endless"), fails: .headTooLarge, "head without end")
            try expect(try await context.fetch("/interim"), fails: .headTooLarge, "interim responses without end")
        }
    }

    static func checkRefused(make: MakeTransport) async throws {
        let port = try await closedPort()
        try await TransportConformanceContext.run(make, script: { _ in }) { context in
            for host in ["127.0.0.1", "localhost"] {
                let (record, duration) = try await time { try await context.fetch(url: "http://\(host):\(port)/") }
                try expect(record, fails: .refused, host)
                try expect(duration < promptly, "a refusal took \(duration)")
            }
        }
    }

    private static func closedPort() async throws -> Int {
        var port = 0
        try await TransportConformanceServer.run({ _ in }, body: { port = $0.port })
        return port
    }

    static func checkUnknownName(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make, script: { _ in }) { context in
            // RFC 6761, 6.4: "invalid" never resolves.
            let record = try await context.fetch(url: "http://nobody.invalid/", timeToConnect: .seconds(60))
            try expect(record, fails: .nameNotResolved, "nobody.invalid")
        }
    }

    static func checkBrokenHandshake(make: MakeTransport) async throws {
        for (response, kind) in [("HTTP/1.1 400 Bad Request\r\n\r\n", TransportError.Kind.tls), ("", .cut)] {
            try await TransportConformanceContext.run(make) { connection in
                guard !response.isEmpty else { return }
                try await connection.send(response)
                try await connection.closed()
            } body: { context in
                let record = try await context.fetch(url: context.server.url(scheme: "https"))
                try expect(record, fails: kind, "handshake answered with \(response.debugDescription)")
            }
        }
    }

    /// Each case has its own transport: a connection attempt abandoned by one request may continue, and serve the next
    /// one.
    static func checkConnectTimeout(make: MakeTransport) async throws {
        for (isSecure, limit) in [(false, 300), (false, 600), (true, 300), (true, 600)] {
            let limit = Duration.milliseconds(limit)
            try await TransportConformanceContext.run(make, script: { try await $0.closed() }) { context in
                try await withBlackHole { port in
                    let url = isSecure ? context.server.url(scheme: "https") : "http://127.0.0.1:\(port)/"
                    let (record, duration) = try await time {
                        try await context.fetch(url: url, timeToConnect: limit)
                    }
                    try expect(record, fails: .connectTimedOut, url)
                    try expect(duration >= limit - .milliseconds(20), "gave up after \(duration) of \(limit)")
                    try expect(duration < limit + .seconds(60), "gave up after \(duration), not \(limit)")
                }
            }
        }
    }

    static func checkSlowHead(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while try await connection.request() != nil {
                try await Task.sleep(for: .milliseconds(2500))
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{0}")
            }
        } body: { context in
            for _ in 0..<2 {
                let record = try await context.fetch(timeToConnect: .seconds(2))
                try expect(record.outcome, is: .complete, "a head later than the time to connect")
            }
        }
    }

    static func checkBadRequests(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make, script: { _ in }) { context in
            for url in [
                "", "nonsense", "ftp://127.0.0.1/", "file:///etc/passwd", "http:///path", "unix:///tmp/socket",
                "http://",
            ] {
                try expect(try await context.fetch(url: url), fails: .badRequest, url)
            }
        }
    }
}

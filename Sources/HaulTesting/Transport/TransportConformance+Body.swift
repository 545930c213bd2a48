import HTTPTypes
import HaulTransport

extension TransportConformance {
    static let bodyChecks = [
        Check(description: "a body with a length arrives whole and in order", run: checkWholeBody),
        Check(description: "a chunked body arrives whole, without its framing", run: checkChunkedBody),
        Check(description: "fields after a chunked body are ignored", needs: [.trailers], run: checkTrailers),
        Check(description: "a body without length ends with the connection", run: checkCloseDelimitedBody),
        Check(description: "answers without a body are complete", run: checkEmptyBodies),
        Check(description: "bytes beyond the announced length reach no sink", run: checkLongerThanAnnounced),
        Check(description: "interim answers are not the answer", run: checkInterimAnswers),
        Check(description: "connections are used again", needs: [.keptConnections], run: checkKeepAlive),
    ]

    static func checkWholeBody(make: MakeTransport) async throws {
        let size = 3_000_000
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\nX-Kind: whole\r\n\r\n")
            var position = 0
            while position < size {
                let next = min(size, position + 1 + position % 70_001)
                try await connection.send(pattern: position..<next)
                position = next
            }
        } body: { context in
            let record = try await context.fetch()
            try expect(record.outcome, is: .complete, "outcome")
            try expect(record.byteCount, is: size, "bytes")
            try expect(record.head?.status.code, is: 200, "status")
            let kinds = record.head?.headerFields.filter { $0.name.canonicalName == "x-kind" }.map(\.value)
            try expect(kinds, is: ["whole"], "header X-Kind")
        }
    }

    static func checkChunkedBody(make: MakeTransport) async throws {
        let sizes = [1, 15, 16, 4096, 70_000, 2, 300_000]
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            var position = 0
            for size in sizes {
                try await connection.send(String(size, radix: 16) + ";name=value\r\n")
                try await connection.send(pattern: position..<position + size)
                try await connection.send("\r\n")
                position += size
            }
            try await connection.send("0\r\n\r\n")
            try await connection.closed()
        } body: { context in
            let record = try await context.fetch()
            try expect(record.outcome, is: .complete, "outcome")
            try expect(record.byteCount, is: sizes.reduce(0, +), "bytes")
        }
    }

    static func checkTrailers(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n")
            try await connection.send(pattern: 0..<4)
            try await connection.send("\r\n0\r\nX-Trailer: late\r\n\r\n")
            try await connection.closed()
        } body: { context in
            let record = try await context.fetch()
            try expect(record.outcome, is: .complete, "outcome")
            try expect(record.byteCount, is: 4, "bytes")
            try expect(
                record.head?.headerFields.contains { $0.name.canonicalName == "x-trailer" }, is: false, "trailer")
        }
    }

    static func checkCloseDelimitedBody(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\n\r\n")
            try await connection.send(pattern: 0..<200_000)
        } body: { context in
            let record = try await context.fetch()
            try expect(record.outcome, is: .complete, "outcome")
            try expect(record.byteCount, is: 200_000, "bytes")
        }
    }

    static func checkEmptyBodies(make: MakeTransport) async throws {
        let heads = [
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ]
        try await TransportConformanceContext.run(make) { connection in
            while let request = try await connection.request() {
                for (index, head) in heads.enumerated() where request.hasPrefix("GET /\(index) ") {
                    try await connection.send(head)
                }
            }
        } body: { context in
            for index in heads.indices {
                let record = try await context.fetch("/\(index)")
                try expect(record.outcome, is: .complete, heads[index])
                try expect(record.bodyCalls, is: 0, heads[index])
            }
        }
    }

    static func checkLongerThanAnnounced(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            try await connection.send(pattern: 0..<5000)
            try await connection.closed()
        } body: { context in
            for _ in 0..<5 {
                let record = try await context.fetch()
                try expect(record.byteCount <= 10, "\(record.byteCount) bytes of an announced 10")
                // A transport may notice the surplus bytes, or may take them for the start of the next response;
                // nothing else is correct.
                switch record.outcome {
                case .complete: try expect(record.byteCount, is: 10, "bytes")
                case .failed(let error): try expect(error.kind == .badResponse || error.kind == .cut, "\(error)")
                case .enough, .rejected, .cancelled, nil: throw TransportConformanceFailure("\(record)")
                }
            }
        }
    }

    static func checkInterimAnswers(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while try await connection.request() != nil {
                try await connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                try await connection.send("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 206 Partial\r\nContent-Le")
                try await connection.send("ngth: 3\r\n\r\n")
                try await connection.send(pattern: 0..<3)
            }
        } body: { context in
            for _ in 0..<2 {
                let record = try await context.fetch()
                try expect(record.outcome, is: .complete, "outcome")
                try expect(record.head?.status.code, is: 206, "status")
                try expect(record.head?.headerFields.count, is: 1, "fields")
                try expect(record.byteCount, is: 3, "bytes")
            }
        }
    }

    static func checkKeepAlive(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while let request = try await connection.request() {
                let isChunked = request.hasPrefix("GET /chunked")
                let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 4"
                try await connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n" + (isChunked ? "4\r\n" : ""))
                try await connection.send(pattern: 0..<4)
                if isChunked { try await connection.send("\r\n0\r\n\r\n") }
            }
        } body: { context in
            for number in 0..<20 {
                let record = try await context.fetch(number % 2 == 0 ? "/" : "/chunked")
                try expect(record.outcome, is: .complete, "outcome")
            }
            try expect(context.server.connectionCount, is: 1, "connections for 20 requests")
        }
    }
}

import HTTPTypes
import HaulTransport
import Synchronization

extension TransportConformance {
    static let requestChecks = [
        Check(
            description: "the request has the given headers, Host, and no other", needs: [.exactHeaders],
            run: checkExactHeaders),
        Check(description: "path and query are sent as they stand", needs: [.exactTargets], run: checkRequestTargets),
        Check(description: "method and body are sent with the body's length", run: checkBodies),
        Check(description: "redirects are the caller's", run: checkRedirects),
        Check(description: "encodings are the caller's", needs: [.rawBodies], run: checkEncodings),
    ]

    static func checkExactHeaders(make: MakeTransport) async throws {
        let requests = Mutex<[String]>([])
        try await TransportConformanceContext.run(make) { connection in
            while let request = try await connection.request() {
                requests.withLock { $0.append(request) }
                try await connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            }
        } body: { context in
            var headers: HTTPFields = [.range: "bytes=5-", .acceptEncoding: "identity", .userAgent: "Haul/test"]
            if let twice = HTTPField.Name("X-Twice") {
                headers.append(HTTPField(name: twice, value: "one"))
                headers.append(HTTPField(name: twice, value: "two"))
            }
            if let host = HTTPField.Name("Host") { headers[host] = "elsewhere.test" }
            _ = try await context.fetch("/a?b=c", headers: headers)
            _ = try await context.fetch("/")
            let host = "host: 127.0.0.1:\(context.server.port)"
            let wanted: [Set<String>] = [
                [
                    "range: bytes=5-", "accept-encoding: identity", "user-agent: Haul/test", "x-twice: one",
                    "x-twice: two", host,
                ],
                [host],
            ]
            for (request, wanted) in zip(requests.withLock { $0 }, wanted) {
                let lines = request.split(separator: "\r\n").dropFirst().map(lowercasedName)
                try expect(Set(lines), is: wanted, "header lines")
                try expect(lines.count, is: wanted.count, "number of header lines")
            }
            try expect(requests.withLock { $0.first?.hasPrefix("GET /a?b=c HTTP/1.1\r\n") }, is: true, "request line")
        }
    }

    private static func lowercasedName(_ line: Substring) -> String {
        let end = line.firstIndex(of: ":") ?? line.endIndex
        return line[..<end].lowercased() + line[end...]
    }

    static func checkBodies(make: MakeTransport) async throws {
        let large = String(repeating: "0123456789abcdef", count: 20_000)
        let sent: [(method: String, body: String?)] = [("POST", "a=1"), ("PUT", ""), ("POST", large), ("GET", nil)]
        let received = Mutex<[(head: String, body: String)]>([])
        try await TransportConformanceContext.run(make) { connection in
            while let head = try await connection.request() {
                let lines = head.lowercased().split(separator: "\r\n")
                let length = lines.first { $0.hasPrefix("content-length: ") }?.dropFirst(16)
                guard let body = try await connection.body(count: length.flatMap { Int($0) } ?? 0) else { return }
                received.withLock { $0.append((head, body)) }
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\u{0}\u{1}")
            }
        } body: { context in
            let type: HTTPFields = [.contentType: "a/b"]
            for (method, body) in sent {
                let record = try await context.fetch(
                    "/x", method: method, body: body.map { Array($0.utf8) }, headers: body == nil ? [:] : type)
                try expect(record.outcome, is: .complete, "outcome")
                try expect(record.byteCount, is: 2, "bytes of the response")
            }
            for (wanted, request) in zip(sent, received.withLock { $0 }) {
                let lines = request.head.split(separator: "\r\n")
                try expect(lines.first, is: "\(wanted.method) /x HTTP/1.1", "request line")
                try expect(request.body == wanted.body ?? "", "the body of \(wanted.method) was changed")
                var fields: Set = ["host: 127.0.0.1:\(context.server.port)"]
                if let body = wanted.body {
                    fields.formUnion(["content-type: a/b", "content-length: \(body.utf8.count)"])
                }
                let sent = Set(lines.dropFirst().map(lowercasedName))
                try expect(fields.isSubset(of: sent), "header lines: \(sent), not \(fields)")
                try expect(wanted.body != nil || !sent.contains { $0.hasPrefix("content-") }, "a body of GET: \(sent)")
            }
        }
    }

    static func checkRequestTargets(make: MakeTransport) async throws {
        let targets = Mutex<[String]>([])
        let paths = [
            "/", "/a%20b%2Fc", "/a;b,c/../d/./e", "/x?q=1&r=%41%zz", "/x?", "/%E4%F6", "//double//", "/~(a)'*!$&+:@=",
            "/a?b?c/d",
        ]
        try await TransportConformanceContext.run(make) { connection in
            while let request = try await connection.request() {
                let words = request.split(separator: "\r\n")[0].split(separator: " ")
                targets.withLock { $0.append(String(words[1])) }
                try await connection.send("HTTP/1.1 204 No Content\r\n\r\n")
            }
        } body: { context in
            for path in paths { _ = try await context.fetch(path) }
            try expect(targets.withLock { $0 }, is: paths, "targets")
            targets.withLock { $0 = [] }
            _ = try await context.fetch(url: "http://127.0.0.1:\(context.server.port)?only=query")
            try expect(targets.withLock { $0 }, is: ["/?only=query"], "target without path")
        }
    }

    static func checkRedirects(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while try await connection.request() != nil {
                try await connection.send(
                    "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 4\r\n\r\n\u{0}\u{1}\u{2}\u{3}")
            }
        } body: { context in
            let redirect = try await context.fetch("/redirect")
            try expect(redirect.outcome, is: .complete, "outcome")
            try expect(redirect.head?.status.code, is: 302, "status")
            try expect(redirect.byteCount, is: 4, "bytes")
        }
    }

    static func checkEncodings(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while try await connection.request() != nil {
                try await connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\u{0}\u{1}\u{2}\u{3}")
            }
        } body: { context in
            let encoded = try await context.fetch("/gzip", headers: [.acceptEncoding: "gzip"])
            try expect(encoded.outcome, is: .complete, "outcome")
            try expect(encoded.byteCount, is: 4, "bytes")
        }
    }
}

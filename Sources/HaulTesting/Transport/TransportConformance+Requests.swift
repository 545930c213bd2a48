import HTTPTypes
import HaulTransport
import Synchronization

extension TransportConformance {
    static let requestChecks = [
        Check(description: "the request has the given headers, Host, and no other", run: checkExactHeaders),
        Check(description: "path and query are sent as they stand", run: checkRequestTargets),
        Check(description: "redirects and encodings are the caller's", run: checkNothingFollowed),
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

    static func checkNothingFollowed(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while let request = try await connection.request() {
                let isRedirect = request.hasPrefix("GET /redirect")
                let head = isRedirect ? "302 Found\r\nLocation: /elsewhere" : "200 OK\r\nContent-Encoding: gzip"
                try await connection.send("HTTP/1.1 \(head)\r\nContent-Length: 4\r\n\r\n\u{0}\u{1}\u{2}\u{3}")
            }
        } body: { context in
            let redirect = try await context.fetch("/redirect")
            try expect(redirect.outcome, is: .complete, "outcome")
            try expect(redirect.head?.status.code, is: 302, "status")
            try expect(redirect.byteCount, is: 4, "bytes")
            let encoded = try await context.fetch("/gzip", headers: [.acceptEncoding: "gzip"])
            try expect(encoded.outcome, is: .complete, "outcome")
            try expect(encoded.byteCount, is: 4, "bytes")
        }
    }
}

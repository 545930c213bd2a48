import Foundation
import HTTPTypes
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import NIOCore
import Testing

@Suite("Attacks on the daemon", .usesSockets)
struct AttackTests {
    private func post(_ trial: ServedTrial, _ path: String, _ body: String, _ headers: [String] = []) async throws
        -> String
    {
        let lines =
            ["POST \(path) HTTP/1.1", "Host: HOST", "Connection: close", "Content-Length: \(body.utf8.count)"]
            + ["Content-Type: application/json", "Authorization: Bearer \(trial.token.text)"] + headers
        return try await trial.raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    @Test("DNS rebinding: a foreign name is refused on every path, before anything is told of it")
    func rebinding() async throws {
        try await ServedTrial.run { trial in
            for path in ["/", "/health", "/api/v1/downloads", "/api/v1/openapi.json", "/no/such/path"] {
                let response = try await trial.raw(
                    "GET \(path) HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer \(trial.token.text)\r\nConnection: close\r\n\r\n",
                    host: "rebound.example:\(trial.port)")
                #expect(RawClient.status(response) == 403, "\(path)")
            }
            for version in ["1.0", "1.1"] {
                let without = try await trial.raw("GET /health HTTP/\(version)\r\n\r\n")
                #expect(RawClient.status(without) == 400)
            }
        }
    }

    @Test("CSRF: what a form or a script of another site can send is refused, even with the token")
    func forgery() async throws {
        try await ServedTrial.run { trial in
            let foreign = try await post(
                trial, APIPath.actions, #"{"action":"remove","all":true}"#, ["Origin: http://evil.example"])
            #expect(RawClient.status(foreign) == 403)
            let fetched = try await post(trial, APIPath.actions, "{}", ["Sec-Fetch-Site: cross-site"])
            #expect(RawClient.status(fetched) == 403)
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
                let form = try await trial.raw(
                    "POST /api/v1/downloads/1/pause HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Type: \(type)\r\n"
                        + "Authorization: Bearer \(trial.token.text)\r\nContent-Length: 0\r\n\r\n")
                #expect(RawClient.status(form) == 415)
            }
            let preflight = try await trial.raw(
                "OPTIONS /api/v1/downloads HTTP/1.1\r\nHost: HOST\r\nOrigin: http://evil.example\r\nConnection: close\r\n"
                    + "Access-Control-Request-Method: DELETE\r\n\r\n")
            #expect(RawClient.status(preflight) == 405)
            #expect(!preflight.lowercased().contains("access-control-allow"))
        }
    }

    @Test("No token, or a wrong one: nothing but the health, the document and the page's files")
    func tokens() async throws {
        try await ServedTrial.run { trial in
            for route in APIRoutes.all(trial.state) {
                for header in ["", "Authorization: Bearer \(String(repeating: "0", count: 64))\r\n"] {
                    let path = route.path.replacing("{id}", with: "1")
                    let response = try await trial.raw(
                        "\(route.method.rawValue) \(path) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"
                            + "Content-Type: application/json\r\n\(header)Content-Length: 0\r\n\r\n")
                    #expect(RawClient.status(response) == (route.rule == .open ? 200 : 401), "\(route.path)")
                    #expect(!response.contains(trial.token.text))
                }
            }
        }
    }

    @Test("Every answer keeps browsers from framing it, guessing its type, running foreign scripts, and storing it")
    func headers() async throws {
        try await ServedTrial.run { trial in
            for request in ["GET /health", "GET /api/v1/info", "GET /nothing"] {
                let response = try await trial.raw("\(request) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
                    .lowercased()
                for header in [
                    "content-security-policy: default-src 'self'", "frame-ancestors 'none'",
                    "x-content-type-options: nosniff",
                    "x-frame-options: deny", "referrer-policy: no-referrer", "cache-control: no-store",
                ] { #expect(response.contains(header), "\(request): \(header)") }
            }
        }
    }

    @Test("Paths out of the roots, options that run programs or read files, CR and LF in headers: each is refused")
    func requests() async throws {
        try await ServedTrial.run(["/a": .text("x")], privateAddresses: true) { trial in
            let url = trial.server.url("/a")
            let bodies = [
                #"{"url":"\#(url)","folder":"/etc"}"#, #"{"url":"\#(url)","folder":".."}"#,
                #"{"url":"\#(url)","name":"../x"}"#, #"{"url":"\#(url)","netrcPath":"/etc/passwd"}"#,
                #"{"url":"\#(url)","cookiePath":"/etc/passwd"}"#, #"{"url":"\#(url)","hooks":[]}"#,
                #"{"url":"\#(url)","headers":[{"name":"X","value":"a\r\nY: b"}]}"#,
                #"{"url":"\#(url)","headers":[{"name":"X\r\nY","value":"a"}]}"#,
                #"{"url":"\#(url)\r\nX: y"}"#, #"{"url":"file:///etc/passwd"}"#, #"{"url":"ftp://127.0.0.1/a"}"#,
                #"{"url":"http://127.0.0.1:\#(trial.port)/health"}"#, #"{"url":"http://localhost:\#(trial.port)/"}"#,
                #"{"url":"\#(url)","mirrors":[{"url":"http://127.0.0.1:\#(trial.port)/","priority":1}]}"#,
            ]
            for body in bodies {
                let response = try await post(trial, APIPath.downloads, body)
                #expect(RawClient.status(response) == 400, "\(body)")
            }
            #expect(try await trial.manager.count() == 0)
        }
    }

    @Test("Private addresses as sources are refused over TCP, also as mirrors and as a new source, in every spelling")
    func privateSources() async throws {
        try await ServedTrial.run(["/a": .text("x")]) { trial in
            for host in ["127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "[fd00::1]"] {
                await #expect(throws: DownloadError.self) {
                    try await trial.remote.add(DownloadRequest(url: "http://\(host)/a"))
                }
                var mirrored = DownloadRequest(url: "http://192.0.2.1.example/a")
                mirrored.mirrors = [DownloadSpec.Mirror(url: "http://\(host)/a")]
                await #expect(throws: DownloadError.self) { try await trial.remote.add(mirrored) }
            }
            var local = trial.request("/a")
            local.startsPaused = true
            let id = try await trial.client.add(local).id
            var source = SourceRequest()
            source.url = trial.server.url("/a")
            await #expect(throws: DownloadError.self) { try await trial.remote.replaceSource(id, source) }
            #expect(try await trial.client.replaceSource(id, source).id == id)
            #expect(trial.server.requests("/a").isEmpty)
        }
    }

    @Test("A name or a spelling that only the system resolves is caught when the connection is made")
    func resolvedAddresses() async throws {
        try await ServedTrial.run(["/a": .text("x")]) { trial in
            // What getaddrinfo(3) takes for 127.0.0.1, and no parser of addresses does.
            let port = trial.server.port
            for host in ["2130706433", "0x7f.1", "127.1", "0177.0.0.1"] {
                var request = DownloadRequest(url: "http://\(host):\(port)/a")
                request.retries = 0
                let added: DownloadMessage
                do {
                    added = try await trial.remote.add(request)
                } catch {
                    continue
                }
                try await trial.until(added.id, .failed)
                #expect(try await trial.client.show(added.id).error?.code != nil)
            }
            #expect(trial.server.requests("/a").isEmpty)
        }
    }

    @Test("No connection to a private address is used, whoever has led there: a redirect, a mirror, a name")
    func connections() async throws {
        try await ServedTrial.run(["/a": .text("secret")]) { trial in
            var spec = DownloadSpec(url: trial.server.url("/a"), destination: .folder(path: trial.root))
            spec.publicAddressesOnly = true
            let download = try await trial.manager.add(spec)
            await #expect(throws: DownloadError.self) { try await download.finished() }
            #expect(trial.server.requests("/a").isEmpty)
        }
    }

    @Test("A retry follows the present setting for private addresses; a retry by a local client allows nothing more")
    func retriedAddresses() async throws {
        try await ServedTrial.run(["/a": .text("secret"), "/b": .text("b")]) { trial in
            var spec = DownloadSpec(url: trial.server.url("/a"), destination: .folder(path: trial.root))
            spec.publicAddressesOnly = true
            let download = try await trial.manager.add(spec)
            await #expect(throws: DownloadError.self) { try await download.finished() }
            _ = try await trial.client.retry(download.id)
            await #expect(throws: DownloadError.self) { try await download.finished() }
            #expect(trial.server.requests("/a").isEmpty)
            trial.state.change { $0.privateAddresses = true }
            _ = try await trial.client.retry(download.id)
            _ = try await download.finished()
            #expect(!trial.server.requests("/a").isEmpty)
            // One that was added while the setting allowed it does not keep the permission.
            var request = trial.request("/b")
            request.startsPaused = true
            let id = try await trial.remote.add(request).id
            trial.state.change { $0.privateAddresses = false }
            _ = try await trial.client.resume(id)
            try await trial.until(id, .failed)
            #expect(try await trial.client.show(id).error?.message.contains("not a public address") == true)
            #expect(trial.server.requests("/b").isEmpty)
        }
    }

    @Test("Deep and huge JSON is refused before it is read")
    func hugeBodies() async throws {
        try await ServedTrial.run { trial in
            let deep = String(repeating: "[", count: 100_000)
            #expect(RawClient.status(try await post(trial, APIPath.downloads, deep)) == 400)
            let huge = #"{"url":""# + String(repeating: "a", count: (1 << 20)) + #""}"#
            #expect(RawClient.status(try await post(trial, APIPath.downloads, huge)) == 413)
            let head = String(repeating: "X: \(String(repeating: "a", count: 4000))\r\n", count: 20)
            let large = try await trial.raw("GET /health HTTP/1.1\r\nHost: HOST\r\n\(head)Connection: close\r\n\r\n")
            #expect(RawClient.status(large) != 200)
        }
    }

    @Test(
        "What is no HTTP, or two kinds of it at once, is no request",
        arguments: [
            "GET / HTTP/9.9\r\nHost: HOST\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET /health\r\n\r\n",
            "POST /api/v1/downloads HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET /health HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n",
        ])
    func garbage(text: String) async throws {
        try await ServedTrial.run { trial in
            let response = try await trial.raw(text)
            #expect(RawClient.status(response) != 200)
            #expect(try await trial.client.info().version == "1.2.3")
        }
    }

    @Test("500 clients that never end their request's head keep nobody else waiting")
    func slowHeads() async throws {
        try await ServedTrial.run { trial in
            var held: [NIOAsyncChannel<ByteBuffer, ByteBuffer>] = []
            for _ in 0..<500 {
                guard let channel = try? await RawClient.connect(trial.port) else { continue }
                held.append(channel)
            }
            #expect(held.count > 400)
            try await Self.feed(held) {
                for _ in 0..<20 { _ = try await trial.remote.info() }
            }
        }
    }

    @Test(
        "Clients that ask for much and never read it do not fill the memory: the first of them goes, the others are answered"
    )
    func deafReaders() async throws {
        let limit = OutboundBuffers(bytes: 600_000)
        try await ServedTrial.run(limit: limit) { trial in
            let specs = (0..<1000).map {
                var spec = DownloadSpec(url: trial.server.url("/\($0)"), destination: .folder(path: trial.root))
                spec.startsPaused = true
                return spec
            }
            _ = try await trial.manager.add(contentsOf: specs)
            // Kernels keep some of these answers, of 0.5 MB each, but not twenty.
            let many = String(repeating: request(trial), count: 20)
            var held: [NIOAsyncChannel<ByteBuffer, ByteBuffer>] = []
            for _ in 0..<3 {
                let channel = try await RawClient.connect(trial.port, window: 4096)
                try await channel.channel.writeAndFlush(ByteBuffer(string: many))
                held.append(channel)
            }
            while limit.figures.cutOff < 2 { _ = try await trial.client.info() }
            #expect(limit.figures.waiting < 600_000)
            #expect(try await trial.raw(request(trial, "Connection: close")).hasSuffix("}"))
            for channel in held { try? await channel.executeThenClose { _, _ in } }
        }
    }

    private func request(_ trial: ServedTrial, _ more: String...) -> String {
        let lines = [
            "GET /api/v1/downloads?limit=1000 HTTP/1.1", "Host: 127.0.0.1:\(trial.port)",
            "Authorization: Bearer \(trial.token.text)",
        ]
        return (lines + more).joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func feed(
        _ held: [NIOAsyncChannel<ByteBuffer, ByteBuffer>], _ body: () async throws -> Void
    ) async throws {
        // On a slow machine the first of them may be cut off before the last is connected, which is correct.
        for channel in held {
            try? await channel.channel.writeAndFlush(ByteBuffer(string: "GET /api/v1/info HTTP/1.1\r\nX: "))
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        for channel in held { try? await channel.executeThenClose { _, _ in } }
        try result.get()
    }
}

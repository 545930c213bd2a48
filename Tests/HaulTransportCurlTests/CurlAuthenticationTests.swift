import HTTPTypes
import HaulCore
import HaulDigest
import HaulTransport
import Synchronization
import Testing

@testable import HaulTesting
@testable import HaulTransportCurl

@Suite(.enabled(if: CurlUnavailable.reason() == nil, "libcurl is not there"))
struct CurlAuthenticationTests {
    private static let login = Credentials(user: "Mufasa", password: "Circle Of Life")

    private func fetch(
        _ scheme: Authentication.Scheme, _ login: Credentials = Self.login, method: String = "GET",
        script: @escaping TransportConformanceServer.Script
    ) async throws -> TransportConformanceSink.Record {
        let sink = TransportConformanceSink(checksPattern: false)
        try await TransportConformanceServer.run(script) { server in
            let transport = CurlTransport()
            var request = TransferRequest(url: server.url("/dir/index.html"), headers: [.range: "bytes=0-"])
            request.authentication = Authentication([scheme], login)
            if method != "GET" { (request.method, request.body, request.headers) = (method, Array("a=1".utf8), [:]) }
            _ = transport.start(request, sink: sink)
            try await sink.outcome()
            await transport.shutdown()
        }
        return sink.record
    }

    private static func response(_ connection: TransportConformanceConnection, _ head: String, _ body: String)
        async throws
    {
        try await connection.send("HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static func field(_ name: String, in request: String) -> String? {
        request.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }.map {
            String($0.dropFirst(name.count + 2))
        }
    }

    /// The server's side of RFC 7616, section 3.4.1, with MD5 and `qop=auth`.
    private static func isRight(_ header: String, password: String) -> Bool {
        var values: [String: String] = [:]
        for pair in header.dropFirst("Digest ".count).split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return false }
            values[parts[0].trimmingPrefix(" ").description] = parts[1].filter { $0 != "\"" }
        }
        func md5(_ text: String) -> String {
            var digest = StreamingDigest(.md5)
            digest.update(text)
            return digest.finalize()
        }
        let (first, second) = (md5("Mufasa:here:\(password)"), md5("GET:/dir/index.html"))
        let middle = ["nonce", "nc", "cnonce", "qop"].map { values[$0] ?? "" }.joined(separator: ":")
        return values["response"] == md5("\(first):\(middle):\(second)") && values["nonce"] == "n0nce"
    }

    private static let digestScript: TransportConformanceServer.Script = { connection in
        while let request = try await connection.request() {
            if let header = field("Authorization", in: request), isRight(header, password: "Circle Of Life") {
                try await response(connection, "206 Partial Content\r\nContent-Range: bytes 0-4/5", "lions")
            } else {
                let challenge = #"Digest realm="here", nonce="n0nce", qop="auth", algorithm=MD5"#
                try await response(connection, "401 Who?\r\nWWW-Authenticate: \(challenge)", "no lions")
            }
        }
    }

    @Test("digest: the sink hears the answer, not the question")
    func digest() async throws {
        let record = try await fetch(.digest, script: Self.digestScript)
        #expect(record.outcome == .complete && record.text == "lions")
        #expect(record.head?.status.code == 206 && record.violations == [])
    }

    @Test("digest with a wrong password ends with 401")
    func wrongDigest() async throws {
        let record = try await fetch(.digest, Credentials(user: "Mufasa", password: "x"), script: Self.digestScript)
        #expect(record.head?.status.code == 401)
        #expect(record.text == "no lions" && record.violations == [])
    }

    @Test("a challenge that libcurl can't answer is the response, not a connection that broke")
    func unknownDigest() async throws {
        let record = try await fetch(.digest) { connection in
            while try await connection.request() != nil {
                let challenge = #"Digest realm="here", nonce="n0nce", qop="auth", algorithm=SHA-9"#
                try await Self.response(connection, "401 Who?\r\nWWW-Authenticate: \(challenge)", "no lions")
            }
        }
        #expect(record.head?.status.code == 401 && record.violations == [], "\(record)")
    }

    /// libcurl would repeat the request thousands of times.
    @Test("a server that calls each login stale is asked only a few times")
    func staleDigest() async throws {
        let requests = Mutex(0)
        let record = try await fetch(.digest) { connection in
            while try await connection.request() != nil {
                let number = requests.withLock {
                    $0 += 1; return $0
                }
                let challenge = #"Digest realm="here", nonce="\#(number)", qop="auth", algorithm=MD5, stale=true"#
                try await Self.response(connection, "401 Who?\r\nWWW-Authenticate: \(challenge)", "no lions")
            }
        }
        #expect(record.head?.status.code == 401)
        #expect(requests.withLock(\.self) == CurlTransfer.challengeLimit)
    }

    /// libcurl reports success then: it takes half a head for the end.
    @Test("a connection that breaks while signing in is not a refused password")
    func brokenDigest() async throws {
        let record = try await fetch(.digest) { connection in
            while let request = try await connection.request() {
                guard Self.field("Authorization", in: request) == nil else {
                    return try await connection.send("HTTP/1.1 206 Par")
                }
                let challenge = #"Digest realm="here", nonce="n0nce", qop="auth", algorithm=MD5"#
                try await Self.response(connection, "401 Who?\r\nWWW-Authenticate: \(challenge)", "")
            }
        }
        guard case .failed(let error) = record.outcome else { return #expect(Bool(false), "\(record)") }
        #expect(error.kind == .cut && record.head == nil)
    }

    /// libcurl would repeat it by itself: the connection was used for the first round.
    @Test("a POST whose connection breaks after the login is sent once")
    func postOnce() async throws {
        let sent = Mutex(0)
        let record = try await fetch(.digest, method: "POST") { connection in
            while let request = try await connection.request() {
                guard Self.field("Authorization", in: request)?.contains("response=") != true else {
                    return sent.withLock { $0 += 1 }
                }
                let challenge = #"Digest realm="here", nonce="n0nce", qop="auth", algorithm=MD5"#
                try await Self.response(connection, "401 Who?\r\nWWW-Authenticate: \(challenge)", "")
            }
        }
        guard case .failed(let error) = record.outcome else { return #expect(Bool(false), "\(record)") }
        #expect(error.kind == .cut && sent.withLock(\.self) == 1)
    }

    /// libcurl would send one without the body first, to get a challenge.
    @Test("a POST to a server that wants no login is sent once", arguments: Authentication.Scheme.allCases)
    func postWithoutLogin(scheme: Authentication.Scheme) async throws {
        let lengths = Mutex<[String?]>([])
        let record = try await fetch(scheme, method: "POST") { connection in
            while let request = try await connection.request() {
                lengths.withLock { $0.append(Self.field("Content-Length", in: request)) }
                try await Self.response(connection, "200 OK", "lions")
            }
        }
        #expect(record.outcome == .complete && record.text == "lions", "\(record)")
        #expect(lengths.withLock(\.self) == ["3"])
    }

    @Test("NTLM: two rounds on one connection", arguments: ["GET", "POST"])
    func ntlm(method: String) async throws {
        // [MS-NLMP] 2.2.1.2: a challenge without target information.
        var challenge = Array("NTLMSSP\u{0}".utf8) + [2, 0, 0, 0] + [0, 0, 0, 0, 48, 0, 0, 0] + [0x01, 0x82, 0, 0]
        challenge += Array(1...8) + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 48, 0, 0, 0]
        let text = Self.base64(challenge)
        let record = try await fetch(.ntlm, method: method) { connection in
            var round = 0
            while let request = try await connection.request() {
                let header = Self.field("Authorization", in: request) ?? ""
                switch (round, header.hasPrefix("NTLM TlRMTVNTUAAB"), header.hasPrefix("NTLM TlRMTVNTUAAD")) {
                case (0, true, _):
                    try await Self.response(connection, "401 Who?\r\nWWW-Authenticate: NTLM \(text)", "no lions")
                    round = 1
                case (1, _, true): try await Self.response(connection, "200 OK", "lions")
                // A POST is sent without a login first.
                case _: try await Self.response(connection, "401 Who?\r\nWWW-Authenticate: NTLM", "no lions")
                }
            }
        }
        #expect(record.outcome == .complete && record.text == "lions", "\(record)")
        #expect(record.head?.status.code == 200 && record.violations == [])
    }

    @Test("Negotiate without a ticket ends with the server's 401")
    func negotiate() async throws {
        let record = try await fetch(.negotiate) { connection in
            while try await connection.request() != nil {
                try await Self.response(connection, "401 Who?\r\nWWW-Authenticate: Negotiate", "no lions")
            }
        }
        #expect(record.head?.status.code == 401, "\(record)")
        #expect(record.violations == [])
    }

    @Test("nothing of a password is in an error")
    func controlCharacters() async throws {
        let record = try await fetch(.digest, Credentials(user: "u", password: "secret\r\nDELE x")) { _ in }
        guard case .failed(let error) = record.outcome else { return #expect(Bool(false)) }
        #expect(error.kind == .unusable && !error.detail.contains("secret"))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return stride(from: 0, to: bytes.count, by: 3).map { start in
            let group = (0..<3).map { start + $0 < bytes.count ? UInt32(bytes[start + $0]) : 0 }
            let bits = group[0] << 16 | group[1] << 8 | group[2]
            return String([18, 12, 6, 0].map { alphabet[Int(bits >> UInt32($0) & 63)] })
        }.joined()
    }
}

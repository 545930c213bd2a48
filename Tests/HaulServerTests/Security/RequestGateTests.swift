import HTTPTypes
import HaulCore
import HaulServer
import Testing

@Suite("The gate")
struct RequestGateTests {
    private static let site = HTTPField.Name("Sec-Fetch-Site") ?? .origin
    private let token: AccessToken
    private let gate: RequestGate

    init() throws {
        token = try AccessToken(String(repeating: "k", count: 32))
        gate = RequestGate(hosts: RequestGate.loopbackHosts + ["haul.example"], port: 7373, token: token)
    }

    private func request(
        _ method: HTTPRequest.Method = .get, host: String? = "127.0.0.1:7373", token: String? = nil,
        fields: HTTPFields = [:]
    ) -> HTTPRequest {
        var fields = fields
        if let token { fields[.authorization] = "Bearer \(token)" }
        return HTTPRequest(method: method, scheme: "http", authority: host, path: "/x", headerFields: fields)
    }

    private func status(_ request: HTTPRequest, _ rule: RouteRule = .api) -> Int? {
        gate.refusal(of: request, under: rule)?.status.code
    }

    @Test(
        "A host that is not the daemon's own is refused, token or not (DNS rebinding)",
        arguments: [
            nil, "evil.example", "evil.example:7373", "127.0.0.1:7374", "127.0.0.1.evil.example:7373",
            "localhost.:7373",
            "169.254.1.1:7373", "",
        ])
    func hosts(host: String?) {
        for rule in [RouteRule.api, .open, RouteRule(wantsToken: false, checksSite: false, wantsJSON: false)] {
            #expect(status(request(host: host, token: token.text), rule) == ((host ?? "").isEmpty ? 400 : 403))
        }
    }

    @Test(
        "The daemon's own names pass",
        arguments: ["127.0.0.1:7373", "LOCALHOST:7373", "[::1]:7373", "haul.example", "haul.example:7373"])
    func ownHosts(host: String) {
        #expect(status(request(host: host, token: token.text)) == nil)
    }

    @Test(
        "Pages of other sites are refused before the token counts (CSRF)",
        arguments: [
            [HTTPField(name: .origin, value: "http://evil.example")], [HTTPField(name: .origin, value: "null")],
            [HTTPField(name: .origin, value: "http://127.0.0.1:8080")],
            [HTTPField(name: .origin, value: "http://127.0.0.1:7373.evil.example")],
            [HTTPField(name: Self.site, value: "cross-site")],
            [HTTPField(name: Self.site, value: "same-site")],
        ])
    func sites(fields: [HTTPField]) {
        let fields = HTTPFields(fields)
        #expect(status(request(token: token.text, fields: fields)) == 403)
        #expect(status(request(fields: fields)) == 403)
        #expect(status(request(fields: fields), .open) == nil)
    }

    @Test("Its own page passes", arguments: ["same-origin", "none"])
    func ownPage(site: String) {
        let fields: HTTPFields = [.origin: "http://127.0.0.1:7373", Self.site: site]
        #expect(status(request(token: token.text, fields: fields)) == nil)
    }

    @Test(
        "What changes something has to be declared as JSON, if anything is sent",
        arguments: [HTTPRequest.Method.post, .put, .patch])
    func types(method: HTTPRequest.Method) throws {
        for type in [
            nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp",
        ] {
            var fields: HTTPFields = [.contentLength: "2"]
            fields[.contentType] = type
            #expect(status(request(method, token: token.text, fields: fields)) == 415)
            #expect(
                RequestGate().refusal(of: request(method, host: nil, fields: fields), under: .api)?.status.code == 415)
        }
        #expect(status(request(method, token: token.text, fields: [.contentLength: "0"])) == nil)
        for type in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
            #expect(status(request(method, token: token.text, fields: [.contentType: type])) == nil)
        }
    }

    @Test("Without the token, or with another one, nothing of the API is to be had")
    func tokens() {
        let wrong = [nil, "", "k", String(repeating: "k", count: 31), String(repeating: "k", count: 33)]
        for token in wrong { #expect(status(request(token: token)) == 401) }
        #expect(status(request(fields: [.authorization: "Basic \(token.text)"])) == 401)
        #expect(status(request(fields: [.authorization: "bearer \(token.text)"])) == nil)
        #expect(status(request(), .open) == nil)
    }

    @Test("The Unix socket asks for no host and no token")
    func local() {
        #expect(RequestGate().refusal(of: request(host: nil), under: .api) == nil)
    }
}

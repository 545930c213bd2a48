import HTTPTypes
import Testing

@testable import HaulCore

@Suite("Refusals in words")
struct RefusalTests {
    private static func denied(
        _ status: Int, offers: [String] = [], _ login: Refusal.Login = .nobody, reply: String? = nil,
        proxy: String? = nil
    ) throws -> DownloadError {
        .denied(
            status, Refusal(reply: reply, offers: offers, login: login), by: try proxy.map { try ProxyURL(parsing: $0) }
        )
    }

    @Test(
        "401 names the ways that are offered, and says whether a login was refused",
        arguments: [
            ([], .nobody, "", .loginNeeded), (["digest"], .nobody, " (it offers Digest)", .loginNeeded),
            (["digest", "digest", "basic"], .nobody, " (it offers Digest and Basic)", .loginNeeded),
            (["negotiate", "ntlm", "basic"], .nobody, " (it offers Negotiate, NTLM and Basic)", .loginNeeded),
            (["bearer"], .nobody, " (it offers Bearer)", .tokenNeeded),
            (["bearer"], .user(.any), " (it offers Bearer)", .tokenNeeded),
            (["bearer"], .user(.basic), " (it offers Bearer, not Basic)", .tokenNeeded),
            (["digest"], .user(.any), ": it refused the user name or password (it offers Digest)", .loginRefused),
            (["digest"], .user(.basic), " (it offers Digest, not Basic)", .otherSchemeNeeded),
            (["digest"], .user(.digest), ": it refused the user name or password (it offers Digest)", .loginRefused),
            ([], .user(.basic), ": it refused the user name or password", .loginRefused),
            (["bearer"], .token, ": it refused the token (it offers Bearer)", .loginRefused),
        ] as [([String], Refusal.Login, String, DownloadError.Detail)])
    func unauthorized(offers: [String], login: Refusal.Login, text: String, detail: DownloadError.Detail) throws {
        let error = try Self.denied(401, offers: offers, login)
        #expect(error.description == "the server returned 401 Unauthorized\(text)")
        #expect(error.code == .notAuthorized && error.detail == detail)
    }

    @Test("other statuses")
    func others() throws {
        #expect(try Self.denied(404).description == "the server returned 404 Not Found: check the URL")
        #expect(try Self.denied(410).code == .notFound)
        #expect(try Self.denied(403).detail == .forbidden)
        #expect(try Self.denied(403, .user(.any)).detail == nil)
        #expect(
            try Self.denied(403, offers: ["basic"]).description == "the server returned 403 Forbidden (it offers Basic)"
        )
        #expect(DownloadError.busy(429, Refusal()).description == "the server returned 429 Too Many Requests")
        #expect(DownloadError.busy(429, Refusal()).detail == .tooManyRequests)
        #expect(DownloadError.busy(502, Refusal()).detail == nil)
    }

    @Test("a redirect to a host that does not receive the credentials is named", arguments: [401, 403])
    func withheld(status: Int) throws {
        let error = try Self.denied(status, offers: ["basic"], .withheld(for: "https://a.example"))
        #expect(
            error.cause == "after a redirect from https://a.example, whose credentials no other host receives"
                && error.detail == .withheld && error.code == .notAuthorized)
    }

    @Test("a proxy that passes requests on is named, and asks for its own login")
    func proxies() throws {
        let (plain, guest) = ("http://p:3128", "http://me:hunter2@p:3128")
        #expect(
            try Self.denied(403, proxy: guest).description
                == "the server returned 403 Forbidden (through the proxy http://p:3128)")
        #expect(
            try Self.denied(401, offers: ["basic"], proxy: plain).description
                == "the server returned 401 Unauthorized (it offers Basic, through the proxy http://p:3128)")
        let wanted = try Self.denied(407, proxy: plain)
        #expect(wanted.description == "the proxy http://p:3128 requires a user name and a password")
        #expect(wanted.detail == .proxyLoginNeeded && wanted.code == .notAuthorized)
        let refused = try Self.denied(407, proxy: guest)
        #expect(refused.description == "the proxy http://p:3128 refused the user name or password")
        #expect(refused.detail == .proxyLoginRefused)
        #expect(try Self.denied(407).description == "the server returned 407 Proxy Authentication Required")
    }

    @Test(
        "file servers have no statuses",
        arguments: [
            (401, "530 Login incorrect.", .nobody, "login refused (530 Login incorrect.)", .loginNeeded),
            (401, "", .user(.any), "login refused", .loginRefused),
            (404, "550 Failed to open file.", .nobody, "no such file (550 Failed to open file.)", nil),
            (404, "", .nobody, "no such file", nil),
            (403, "550 Permission denied.", .nobody, "permission denied (550 Permission denied.)", nil),
        ] as [(Int, String, Refusal.Login, String, DownloadError.Detail?)])
    func files(status: Int, reply: String, login: Refusal.Login, text: String, detail: DownloadError.Detail?) throws {
        let error = try Self.denied(status, login, reply: reply)
        #expect(error.description == text && error.detail == detail)
        #expect(error.code == (status == 404 ? .notFound : .notAuthorized))
    }

    @Test("a busy file server is quoted")
    func busyFiles() {
        let error = DownloadError.busy(503, Refusal(reply: "421 Too many users."))
        #expect(error.description == "the server is busy (421 Too many users.)" && error.code == .serverBusy)
    }

    @Test("the reply of a file server, or the ways that a web server offers, are read from the response")
    func reading() throws {
        var head = HTTPResponse(status: HTTPResponse.Status(code: 401, reasonPhrase: "530 Login incorrect."))
        head.headerFields[values: .wwwAuthenticate] = ["Digest realm=\"x\"", "Basic realm=\"x\""]
        for (url, reply) in [("ftp://h/f", "530 Login incorrect."), ("http://h/f", nil)] {
            let decision = ResponseDecision.decide(
                RangeRequest(offset: 0), head, url: try SourceURL(parsing: url), now: 0)
            #expect(decision == .denied(status: 401, Refusal(reply: reply, offers: ["digest", "basic"])))
        }
    }
}

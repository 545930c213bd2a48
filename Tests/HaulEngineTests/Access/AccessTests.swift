import Haul
import HaulCore
import HaulTransport
import Testing

@testable import HaulEngine

@Suite("Who asks, and for whom that is")
struct AccessTests {
    private static let netrc = Netrc(
        parsing: Array(
            "machine h login n password hn machine other login n password on default login n password dn".utf8))

    private func reported(_ access: SourceAccess, _ url: String, home: String) throws -> String? {
        switch access.response(at: try SourceURL(parsing: url), home: try SourceURL(parsing: home)) {
        case nil: nil
        case .token(let token): token
        case .credentials(let credentials): "\(credentials.user) \(credentials.password)"
        }
    }

    private func access(login: Bool = false, token: Bool = false, netrc: Bool = false) -> SourceAccess {
        var access = SourceAccess()
        if login { access.login = URLCredentials(user: "l", password: "lp") }
        if token { access.token = "t" }
        if netrc { access.netrc = Self.netrc }
        return access
    }

    @Test("at home the most particular one wins")
    func home() throws {
        let all = access(login: true, token: true, netrc: true)
        #expect(try reported(all, "http://h/x", home: "http://u:p@h/") == "u p")
        #expect(try reported(all, "http://h/x", home: "http://h/") == "l lp")
        #expect(try reported(access(token: true, netrc: true), "http://h/x", home: "http://h/") == "t")
        #expect(try reported(access(netrc: true), "http://h/x", home: "http://h/") == "n hn")
        #expect(try reported(access(netrc: true), "http://x/", home: "http://x/") == "n dn")
        // A user without a password is one whose password is looked up.
        #expect(try reported(access(netrc: true), "http://h/", home: "http://n@h/") == "n hn")
        #expect(try reported(access(netrc: true), "http://h/", home: "http://u@h/") == "u ")
        #expect(try reported(access(), "http://h/", home: "http://u@h/") == "u ")
        #expect(try reported(access(), "http://h/", home: "http://h/") == nil)
    }

    @Test(
        "at another host only its own entry counts, and only over TLS on the whole way",
        arguments: [
            ("http://other/", "http://h/", nil), ("https://other/", "http://h/", nil),
            ("http://other/", "https://h/", nil),
            ("https://other/", "https://h/", "n on"), ("http://x/", "http://h/", nil),
            ("http://u:p@x/", "http://h/", nil),
            ("http://h:81/", "http://h/", "n hn"), ("https://h/", "http://h/", "n hn"),
            ("http://h/", "https://h/", nil),
        ] as [(String, String, String?)])
    func away(url: String, home: String, credentials: String?) throws {
        #expect(try reported(access(login: true, token: true, netrc: true), url, home: home) == credentials)
        #expect(try reported(access(login: true, token: true), url, home: home) == nil)
    }

    @Test("a redirect without TLS in between ends the use of netrc for other hosts, not for the same one")
    func way() throws {
        let (home, other) = (try SourceURL(parsing: "https://h/"), try SourceURL(parsing: "https://other/"))
        let way = [home, try SourceURL(parsing: "http://between/")]
        let access = access(netrc: true)
        #expect(access.response(at: other, home: home, way: [home]) != nil)
        #expect(access.response(at: other, home: home, way: way) == nil)
        #expect(access.response(at: try SourceURL(parsing: "https://h:81/"), home: home, way: way) != nil)
    }

    @Test(
        "where a document named the URL, of netrc only the entry for that very host counts, and over TLS alone",
        arguments: [
            ("https://h/", "n hn"), ("http://h/", nil), ("https://x/", nil), ("http://x/", nil), ("https://u@x/", "u "),
            ("https://u:p@x/", "u p"),
        ] as [(String, String?)])
    func named(home: String, credentials: String?) throws {
        let url = try SourceURL(parsing: home)
        let response = access(netrc: true).response(at: url, home: url, isForeign: true)
        let wanted = credentials.map { text in
            let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            return SourceAccess.Answer.credentials(URLCredentials(user: parts[0], password: parts[1]))
        }
        #expect(response == wanted)
        // Nor does a redirect make more of it.
        let next = try SourceURL(parsing: "http://other/")
        #expect(access(netrc: true).response(at: next, home: url, isForeign: true) == nil)
    }

    @Test("basic is a header, the others are the transport's", arguments: AuthenticationScheme.allCases)
    func schemes(scheme: AuthenticationScheme) {
        let known = SourceAccess.Answer.credentials(URLCredentials(user: "u", password: "p"))
        let found = Authentication(scheme, known)
        let expected: Set<String>? =
            switch scheme {
            case .any: ["basic", "digest", "ntlm", "negotiate"]
            case .basic: nil
            case .digest, .ntlm, .negotiate: [scheme.rawValue]
            }
        #expect(found.map { Set($0.schemes.map(\.rawValue)) } == expected)
        #expect(found.map { $0.credentials == Credentials(user: "u", password: "p") } ?? true)
        #expect(Authentication(scheme, .token("t")) == nil)
        #expect((Authentication(scheme, nil) == nil) == (scheme != .negotiate))
    }
}

import HaulCore
import Testing

@Suite struct ProxySettingsTests {
    private func proxy(_ settings: ProxySettings, _ url: String) throws -> String? {
        try settings.proxy(for: SourceURL(parsing: url).origin)?.description
    }

    @Test func withoutSettingsThereIsNone() throws {
        #expect(try proxy(ProxySettings(), "http://h/") == nil)
        #expect(try proxy(ProxySettings(environment: [:]), "https://h/") == nil)
        #expect(try ProxySettings(environment: ["http_proxy": "", "ALL_PROXY": ""]).isEmpty)
        #expect(try !ProxySettings(url: "p").isEmpty)
    }

    @Test(
        arguments: [
            (["http_proxy": "a:1"], "http://a:1", nil), (["https_proxy": "a:1"], nil, "http://a:1"),
            // A web server puts a header of the client there.
            (["HTTP_PROXY": "a:1"], nil, nil), (["HTTPS_PROXY": "a:1"], nil, "http://a:1"),
            (["all_proxy": "a:1"], "http://a:1", "http://a:1"), (["ALL_PROXY": "a:1"], "http://a:1", "http://a:1"),
            (["all_proxy": "a:1", "http_proxy": "b:1"], "http://b:1", "http://a:1"),
            (["all_proxy": "a:1", "ALL_PROXY": "b:1"], "http://a:1", "http://a:1"),
            (["http_proxy": "", "all_proxy": "a:1"], "http://a:1", "http://a:1"),
            (["https_proxy": "", "HTTPS_PROXY": "a:1"], nil, "http://a:1"),
            (["all_proxy": "a:1", "no_proxy": "host"], nil, nil), (["all_proxy": "a:1", "NO_PROXY": "*"], nil, nil),
        ] as [([String: String], String?, String?)])
    func environment(variables: [String: String], http: String?, https: String?) throws {
        let settings = try ProxySettings(environment: variables)
        #expect(try proxy(settings, "http://host/") == http)
        #expect(try proxy(settings, "https://host/") == https)
    }

    @Test func ftpOverTLSUsesTheProxyOfFTP() throws {
        let settings = try ProxySettings(environment: ["ftp_proxy": "a:1", "ftps_proxy": "b:1"])
        #expect(try proxy(settings, "ftp://host/f") == "http://a:1")
        #expect(try proxy(settings, "ftpes://host/f") == "http://a:1")
        #expect(try proxy(settings, "ftps://host/f") == "http://b:1")
    }

    @Test(
        arguments: [
            ("proxy", "http://proxy:1080"), ("proxy:3128", "http://proxy:3128"), ("HTTP://Proxy:1/", "http://proxy:1"),
            ("https://p", "https://p:443"), ("socks5h://p", "socks5h://p:1080"), ("socks4a://p:9", "socks4a://p:9"),
            ("socks://p", "socks4://p:1080"), ("[::1]:3128", "http://[::1]:3128"), ("u:p@h:1", "http://h:1"),
            ("http://u:p%40@h", "http://h:1080"), ("127.0.0.1:1/path?x", "http://127.0.0.1:1"),
        ])
    func readsAProxy(text: String, shown: String) throws {
        #expect(try ProxyURL(parsing: text).description == shown)
    }

    @Test func credentialsAreReadAndNeverShown() throws {
        var settings = try ProxySettings(url: "http://me:hunter1@p:1", noProxy: "direct")
        let origin = try SourceURL(parsing: "http://h/").origin
        #expect(settings.proxy(for: origin)?.credentials == URLCredentials(user: "me", password: "hunter1"))
        settings.setCredentials(user: "you", password: "hunter2")
        #expect(settings.proxy(for: origin)?.credentials?.password == "hunter2")
        var environment = try ProxySettings(environment: ["http_proxy": "me:hunter1@a", "all_proxy": "me:hunter1@b"])
        environment.setCredentials(user: "you", password: "hunter2")
        for scheme in ["http", "https"] {
            let origin = try SourceURL(parsing: scheme + "://h/").origin
            #expect(environment.proxy(for: origin)?.credentials?.user == "you")
        }
        var text = "\(settings) \(environment)"
        dump(settings, to: &text)
        dump(environment, to: &text)
        #expect(!text.contains("hunter"))
    }

    @Test(arguments: ["", "http://", "ftp://p", "p:0", "p:99999", "p q", "http://me:hunter@[x", "me:hunter@p:port"])
    func refusesWhatIsNone(text: String) throws {
        let error = #expect(throws: DownloadError.self) { try ProxySettings(url: text) }
        #expect(error?.code == .invalidRequest && error?.message.contains("hunter") == false)
        guard !text.isEmpty else { return }
        let named = #expect(throws: DownloadError.self) { try ProxySettings(environment: ["HTTPS_PROXY": text]) }
        #expect(named?.message.hasPrefix("the environment variable https_proxy: ") == true)
    }

    @Test(
        arguments: [
            ("", "h", 80, false), ("*", "h", 80, true), ("h", "h", 80, true), ("H", "h", 80, true),
            (".h", "h", 80, true),
            ("h.", "h", 80, true), ("h", "h.", 80, true), ("h", "a.h", 80, true), (".h", "a.b.h", 80, true),
            ("h", "ah", 80, false),
            ("a.h", "h", 80, false), ("x, h y", "h", 80, true), ("x,h,y", "y", 80, true), ("h:80", "h", 80, true),
            ("h:80", "h", 81, false), ("*:443", "h", 443, true), ("*:443", "h", 80, false), ("h:x", "h", 80, false),
            ("10.0.0.0/8", "10.9.9.9", 80, true), ("10.0.0.0/8", "11.9.9.9", 80, false),
            ("10.0.0.0/33", "10.0.0.0", 80, false),
            ("10.0.0.1", "10.0.0.1", 80, true), ("10.0.0.1:81", "10.0.0.1", 80, false),
            ("0.0.1", "10.0.0.1", 80, false),
            ("fe80::/10", "[fe80::1]", 80, true), ("fe80::/10", "[::1]", 80, false), ("::1", "[::1]", 80, true),
            ("[::1]", "[::1]", 80, true), ("[::1]:80", "[::1]", 80, true), ("[::1]:81", "[::1]", 80, false),
            ("10.0.0.0/8", "h10.0.0.0", 80, false), ("127.0.0.0/8", "localhost", 80, false), (",,, \t", "h", 80, false),
        ])
    func noProxy(list: String, host: String, port: Int, isCovered: Bool) {
        #expect(NoProxyList(list).covers(host: host, port: port) == isCovered)
    }

    @Test func theListCanBeSetLater() throws {
        var settings = try ProxySettings(environment: ["all_proxy": "p", "no_proxy": "a"])
        settings.setNoProxy("b")
        #expect(try proxy(settings, "http://a/") != nil)
        #expect(try proxy(settings, "http://b/") == nil)
    }

    @Test func survivesAnyText() {
        var fuzz = FuzzText(seed: 2)
        let pieces = [
            "http", "://", "socks5", "u:p@", "[", "]", "::1", "1.2.3.4", "/", "33", ":", "99999", ",", " ", "*", ".",
            "h", "é",
        ]
        for _ in 0..<20_000 {
            for text in [fuzz.noise(), fuzz.mixture(of: pieces), fuzz.mutation(of: "socks5h://u:p@[::1]:3128/")] {
                let list = NoProxyList(text)
                for host in ["h", "1.2.3.4", "[::1]", ""] { _ = list.covers(host: host, port: 80) }
                guard let proxy = try? ProxyURL(parsing: text) else { continue }
                #expect((1...65_535).contains(proxy.port) && !proxy.host.isEmpty)
            }
        }
    }
}

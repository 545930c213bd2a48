import CHaulCurl
import HTTPTypes
import HaulTransport
import Testing

@testable import HaulTransportCurl

@Suite struct CurlSettingsTests {
    private static let credentials = Credentials(user: "u", password: "p")

    private func settings(
        _ url: String, insecure: Bool = false, ca: String? = nil, sshKey: String? = nil, offset: Int64 = 0,
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) throws -> CurlSettings {
        var request = TransferRequest(url: url, headers: [.userAgent: "x"], insecure: insecure)
        change(&request)
        var configuration = CurlTransportConfiguration(caCertificatePath: ca)
        configuration.sshFolder = "/home/me/.ssh"
        configuration.loginName = "me"
        return CurlSettings(
            request: request, target: try CurlTarget(url), configuration: configuration, offset: offset, sshKey: sshKey)
    }

    private static let urls = ["http://h/a", "https://h/a", "ftp://h/a", "ftpes://h/a", "ftps://h/a", "sftp://h/a"]

    @Test("verified unless told otherwise, and the environment never has a say", arguments: urls, [true, false])
    func safety(url: String, insecure: Bool) throws {
        let list = try settings(url, insecure: insecure).list
        #expect(list.contains(.flag(haul_curl_verify_peer, !insecure)))
        #expect(list.contains(.number(haul_curl_verify_host, insecure ? 0 : 2)))
        #expect(list.contains(.choice(haul_curl_tls_version, haul_curl_tls_1_2)))
        #expect(list.contains(.choice(haul_curl_proxy_tls_version, haul_curl_tls_1_2)))
        #expect(list.contains(.text(haul_curl_proxy, "")))
        #expect(list.contains(.flag(haul_curl_no_signal, true)))
        let knowsHosts = list.contains(.text(haul_curl_known_hosts, "/home/me/.ssh/known_hosts"))
        #expect(knowsHosts == (url.hasPrefix("sftp") && !insecure))
        // libcurl compares what was verified before it uses a connection again, except for SSH. A web server may have sent too much.
        let isAlone = list.contains(.flag(haul_curl_fresh_connect, true))
        #expect(isAlone == (url.hasPrefix("http") || url.hasPrefix("sftp") && insecure))
        #expect(isAlone == list.contains(.flag(haul_curl_forbid_reuse, true)))
        let wantsTLS = list.contains(.choice(haul_curl_use_tls, haul_curl_tls_always))
        #expect(wantsTLS == (url.hasPrefix("ftpes") || url.hasPrefix("ftps")))
    }

    @Test(arguments: urls, Proxy.Scheme.allCases)
    func proxies(url: String, scheme: Proxy.Scheme) throws {
        for credentials in [nil, Self.credentials] {
            let list = try settings(url) { $0.proxy = Proxy(scheme, host: "::1", port: 1080, credentials: credentials) }
                .list
            #expect(list.contains(.text(haul_curl_proxy, "[::1]")) && list.contains(.text(haul_curl_no_proxy, "")))
            #expect(list.contains(.number(haul_curl_proxy_port, 1080)))
            #expect(list.contains(.text(haul_curl_proxy_password, "p")) == (credentials != nil))
            #expect(!list.contains(.text(haul_curl_password, "p")), "the proxy's password is not for the server")
            #expect(list.contains(.flag(haul_curl_proxy_tunnel, true)) == !url.hasPrefix("http"))
            let isForwarded = url == "http://h/a" && (scheme == .http || scheme == .https)
            #expect(list.contains(.text(haul_curl_request_target, url)) == isForwarded)
        }
    }

    @Test(arguments: Authentication.Scheme.allCases)
    func authentication(scheme: Authentication.Scheme) throws {
        let bits = [Authentication.Scheme.basic: 1, .digest: 2, .negotiate: 4, .ntlm: 8]
        let list = try settings("http://h/a") { $0.authentication = Authentication([scheme], Self.credentials) }.list
        #expect(list.contains(.number(haul_curl_http_authentication, Int64(bits[scheme] ?? 0))))
        #expect(list.contains(.text(haul_curl_user, "u")) && list.contains(.text(haul_curl_password, "p")))
    }

    @Test("FTP without a user is libcurl's anonymous, SFTP the user of this machine")
    func users() throws {
        #expect(
            try !settings("ftp://h/a").list.contains { if case .text(haul_curl_user, _) = $0 { true } else { false } })
        #expect(try settings("sftp://h/a").list.contains(.text(haul_curl_user, "me")))
        for url in ["ftp://h/a", "sftp://h/a"] {
            let list = try settings(url) { $0.authentication = Authentication([], Self.credentials) }.list
            #expect(list.contains(.text(haul_curl_user, "u")) && list.contains(.text(haul_curl_password, "p")))
            #expect(!list.contains { if case .number(haul_curl_http_authentication, _) = $0 { true } else { false } })
        }
    }

    @Test("a password for SFTP is offered once, with the last key, and only if there is one", arguments: ["p", ""])
    func passwordOnce(password: String) throws {
        var settings = try settings("sftp://h/a", sshKey: "/k") {
            $0.authentication = Authentication([], Credentials(user: "u", password: password))
        }
        let keys = haul_curl_ssh_agent | haul_curl_ssh_public_key
        let all = keys | haul_curl_ssh_password | haul_curl_ssh_keyboard
        #expect(settings.list.contains(.choice(haul_curl_ssh_authentication, password.isEmpty ? keys : all)))
        settings.isLastSSHKey = false
        #expect(settings.list.contains(.choice(haul_curl_ssh_authentication, keys)))
    }

    @Test func offsetsAndKeys() throws {
        #expect(try settings("ftp://h/a", offset: 7).list.contains(.number(haul_curl_resume_from, 7)))
        #expect(try !settings("ftp://h/a").list.contains(.number(haul_curl_resume_from, 0)))
        let key = try settings("sftp://h/a", sshKey: "/k").list
        #expect(key.contains(.text(haul_curl_ssh_key, "/k")))
        #expect(key.contains(.number(haul_curl_ssh_authentication, 1 | 16)))
        #expect(try settings("sftp://h/a").list.contains(.number(haul_curl_ssh_authentication, 16)))
    }

    @Test(arguments: [("127.0.0.2", "host!127.0.0.2"), ("fe80::1", "host!fe80::1"), ("eth0", "if!eth0")])
    func localAddress(address: String, value: String) throws {
        #expect(
            try settings("http://h/a") { $0.localAddress = address }.list.contains(.text(haul_curl_interface, value)))
    }

    @Test func certificates() throws {
        let list = try settings("https://h/a", ca: "/ca") {
            $0.clientCertificate = ClientCertificate(certificatePath: "/c")
        }.list
        #expect(
            list.contains(.text(haul_curl_authorities, "/ca"))
                && list.contains(.text(haul_curl_authorities_folder, nil)))
        #expect(list.contains(.text(haul_curl_certificate, "/c")) && list.contains(.text(haul_curl_key, "/c")))
    }

    @Test(
        "a wait is never zero, which means a default, nor more than fits",
        arguments: [
            (Duration.zero, 1), (.microseconds(10), 1), (.milliseconds(1500), 1500),
            (.seconds(Int64.max / 2), 2_000_000_000),
        ] as [(Duration, Int64)])
    func connectTimeout(duration: Duration, milliseconds: Int64) throws {
        let list = try settings("http://h/a") { $0.timeToConnect = duration }.list
        #expect(list.contains(.number(haul_curl_connect_milliseconds, milliseconds)))
    }

    @Test func headerLines() throws {
        let lines = try settings("http://h/a") {
            $0.headers = [.accept: "*/*", .range: "bytes=0-"]
            if let empty = HTTPField.Name("X-Empty") { $0.headers.append(HTTPField(name: empty, value: "")) }
            if let host = HTTPField.Name("Host") { $0.headers[host] = "elsewhere" }
        }.headerLines
        #expect(Set(lines) == ["Accept: */*", "Proxy-Connection:", "Range: bytes=0-", "X-Empty;"])
        #expect(try settings("http://h/a").headerLines == ["Accept:", "Proxy-Connection:", "User-Agent: x"])
        #expect(try settings("ftp://h/a").headerLines == [])
        let post = try settings("http://h/a") { ($0.method, $0.body, $0.headers) = ("POST", [1], [:]) }
        #expect(post.headerLines == ["Accept:", "Proxy-Connection:", "Content-Type:", "Expect:"])
        #expect(post.list.contains(.text(haul_curl_method, "POST")))
        #expect(!(try settings("http://h/a")).list.contains(.text(haul_curl_method, "GET")))
    }
}

import CHaulCurl
import HTTPTypes
import HaulTransport

/// The libcurl options for a request: a decision without side effects.
struct CurlSettings {
    let request: TransferRequest
    let target: CurlTarget
    let configuration: CurlTransportConfiguration
    /// The first byte to request of a file; 0 for HTTP, which uses a header.
    var offset: Int64 = 0
    /// The key file to try for SFTP.
    var sshKey: String?
    /// True if no other key file is left to try: then the password is offered, too, so that a wrong one is sent once.
    var isLastSSHKey = true

    /// All options, in the order in which they are set.
    var list: [CurlSetting] { common + tls + proxy + (target.kind.isWeb ? web : files) }

    /// The header lines in libcurl's form: `Name;` is a header without a value, `Name:` removes a default of libcurl's
    /// (CURLOPT_HTTPHEADER(3)).
    var headerLines: [String] {
        guard target.kind.isWeb else { return [] }
        let own = request.headers.filter { $0.name.canonicalName != "host" }
        // libcurl would name a type for a body, and wait for the server's consent to send it.
        let ofBody = request.body == nil ? [] : ["Content-Type:", "Expect:"]
        return (["Accept:", "Proxy-Connection:"] + ofBody).filter { line in
            !own.contains { "\($0.name.rawName):" == line }
        }
            + own.map { $0.value.isEmpty ? "\($0.name.rawName);" : "\($0.name.rawName): \($0.value)" }
    }

    private var common: [CurlSetting] {
        var result: [CurlSetting] = [
            .text(haul_curl_url, target.url),
            .flag(haul_curl_no_signal, true),
            // An abandoned name lookup is left to its thread.
            .flag(haul_curl_quick_exit, true),
            .choice(haul_curl_buffer_size, configuration.receiveBufferBytes),
            .number(haul_curl_connect_milliseconds, request.timeToConnect.wholeMilliseconds),
            .number(haul_curl_idle_seconds, 30),
        ]
        if let address = request.localAddress { result.append(.text(haul_curl_interface, Self.interface(address))) }
        return result
    }

    /// Returns the value of CURLOPT_INTERFACE(3): without a prefix, a name that is not an interface would be looked up
    /// as a host.
    private static func interface(_ address: String) -> String {
        let isAddress =
            address.utf8.contains(UInt8(ascii: ":")) || address.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        return (isAddress ? "host!" : "if!") + address
    }

    private var tls: [CurlSetting] {
        let verifies = !request.insecure
        var result: [CurlSetting] = [
            .flag(haul_curl_certificate_facts, verifies),
            .flag(haul_curl_verify_peer, verifies), .number(haul_curl_verify_host, verifies ? 2 : 0),
            .flag(haul_curl_proxy_verify_peer, verifies), .number(haul_curl_proxy_verify_host, verifies ? 2 : 0),
            // RFC 8996: older versions are insecure.
            .choice(haul_curl_tls_version, haul_curl_tls_1_2),
            .choice(haul_curl_proxy_tls_version, haul_curl_tls_1_2),
        ]
        if let path = configuration.caCertificatePath {
            result += [.text(haul_curl_authorities, path), .text(haul_curl_authorities_folder, nil)]
            result += [.text(haul_curl_proxy_authorities, path), .text(haul_curl_proxy_authorities_folder, nil)]
        }
        if let certificate = request.clientCertificate {
            result.append(.text(haul_curl_certificate, certificate.certificatePath))
            result.append(.text(haul_curl_key, certificate.keyPath ?? certificate.certificatePath))
        }
        return result
    }

    /// The options for the proxy.
    ///
    /// Empty text keeps libcurl from reading the environment, which is evaluated by the engine.
    private var proxy: [CurlSetting] {
        guard let proxy = request.proxy else { return [.text(haul_curl_proxy, "")] }
        var result: [CurlSetting] = [
            .text(haul_curl_proxy, proxy.bracketedHost), .text(haul_curl_no_proxy, ""),
            .choice(haul_curl_proxy_port, proxy.port), .choice(haul_curl_proxy_type, proxy.scheme.curlType),
        ]
        if let credentials = proxy.credentials {
            let ways = haul_curl_basic | haul_curl_digest | haul_curl_ntlm | haul_curl_negotiate
            result += [.choice(haul_curl_proxy_authentication, ways), .text(haul_curl_proxy_user, credentials.user)]
            result.append(.text(haul_curl_proxy_password, credentials.password))
        }
        // Without a tunnel the proxy would use FTP on behalf of libcurl, and respond in HTTP.
        if !target.kind.isWeb { result.append(.flag(haul_curl_proxy_tunnel, true)) }
        result.append(.flag(haul_curl_suppress_connect_headers, true))
        return result
    }

    private var web: [CurlSetting] {
        let isForwarded = target.kind == .http && request.proxy?.scheme.forwards == true
        var result: [CurlSetting] = [
            .choice(haul_curl_http_version, haul_curl_http_1_1), .flag(haul_curl_path_as_is, true),
            // `ChunkDecoder` decodes chunks.
            .flag(haul_curl_transfer_decoding, false),
            // RFC 9112, section 3.2.2: a proxy is asked for the whole URL.
            .text(haul_curl_request_target, isForwarded ? target.url : target.requestTarget),
            // On a connection that was used before, libcurl takes what the server sent too much for the next response, and repeats
            // a request by itself that ends without one, which the server may have carried out. The rounds of NTLM and Negotiate
            // keep their connection all the same.
            .flag(haul_curl_fresh_connect, true), .flag(haul_curl_forbid_reuse, true),
        ]
        // After the body, which makes it a POST.
        if request.method != "GET" { result.append(.text(haul_curl_method, request.method)) }
        guard let authentication = request.authentication else { return result }
        var ways = authentication.schemes.reduce(UInt32(0)) { $0 | $1.curlBit }
        if ways == 0 { ways = UInt32(haul_curl_basic) }
        // With digest or NTLM alone, libcurl would ask for the challenge by a request with an empty body, which a server that wants
        // no login carries out.
        if request.method != "GET", ways != haul_curl_basic { ways |= UInt32(haul_curl_ask_first) }
        result.append(.choice(haul_curl_http_authentication, ways))
        return result + login(authentication.credentials)
    }

    private var files: [CurlSetting] {
        var result: [CurlSetting] = [.flag(haul_curl_file_time, true)]
        if offset > 0 { result.append(.number(haul_curl_resume_from, offset)) }
        guard target.kind == .sftp else {
            result += [
                .choice(haul_curl_ftp_method, haul_curl_ftp_whole_path),
                // At the end of a file libcurl waits for the server's final reply and blocks everything else: the
                // engine and other transfers. So a server gets no more time for any reply than for a connection.
                .number(haul_curl_response_seconds, max(1, request.timeToConnect.wholeMilliseconds / 1000)),
            ]
            if target.kind != .ftp { result.append(.choice(haul_curl_use_tls, haul_curl_tls_always)) }
            return result + (request.authentication.map { login($0.credentials) } ?? [])
        }
        return result + ssh
    }

    private var ssh: [CurlSetting] {
        let password = request.authentication?.credentials.password ?? ""
        var ways = haul_curl_ssh_agent
        if isLastSSHKey, !password.isEmpty { ways |= haul_curl_ssh_password | haul_curl_ssh_keyboard }
        var result: [CurlSetting] = []
        if let sshKey {
            ways |= haul_curl_ssh_public_key
            result.append(.text(haul_curl_ssh_key, sshKey))
        }
        result.append(.choice(haul_curl_ssh_authentication, ways))
        // Without a file libcurl would accept any key. A file that does not exist contains no host.
        if request.insecure {
            // Unlike one with TLS, libcurl would use the connection again for a request that has to check the key.
            result += [.flag(haul_curl_fresh_connect, true), .flag(haul_curl_forbid_reuse, true)]
        } else {
            result.append(
                .text(haul_curl_known_hosts, configuration.sshFolder.map { $0 + "/known_hosts" } ?? "/dev/null"))
        }
        let user = request.authentication?.credentials.user ?? configuration.loginName ?? ""
        return result + login(Credentials(user: user, password: password))
    }

    private func login(_ credentials: Credentials) -> [CurlSetting] {
        [.text(haul_curl_user, credentials.user), .text(haul_curl_password, credentials.password)]
    }
}

extension Authentication.Scheme {
    fileprivate var curlBit: UInt32 {
        switch self {
        case .basic: UInt32(haul_curl_basic)
        case .digest: UInt32(haul_curl_digest)
        case .ntlm: UInt32(haul_curl_ntlm)
        case .negotiate: UInt32(haul_curl_negotiate)
        }
    }
}

extension Proxy.Scheme {
    /// True if plain HTTP is sent through the proxy as a request for a whole URL.
    var forwards: Bool {
        switch self {
        case .http, .https: true
        case .socks4, .socks4a, .socks5, .socks5h: false
        }
    }

    /// True for SOCKS 4 and 4a.
    var isSOCKS4: Bool { self == .socks4 || self == .socks4a }

    fileprivate var curlType: Int {
        switch self {
        case .http: Int(haul_curl_proxy_http)
        case .https: Int(haul_curl_proxy_https)
        case .socks4: Int(haul_curl_proxy_socks4)
        case .socks4a: Int(haul_curl_proxy_socks4a)
        case .socks5: Int(haul_curl_proxy_socks5)
        case .socks5h: Int(haul_curl_proxy_socks5h)
        }
    }
}

extension Proxy {
    /// The host; an IPv6 address needs brackets (CURLOPT_PROXY(3)).
    fileprivate var bracketedHost: String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    }
}

extension Duration {
    /// The duration in milliseconds: at least one, because zero means libcurl's default, and at most what fits its
    /// type.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}

/// One option of a transfer, as data.
enum CurlSetting: Hashable {
    /// A text, or nil to suppress a default of libcurl or the environment.
    case text(haul_curl_text, String?)
    /// A number.
    case number(haul_curl_number, Int64)
}

extension CurlSetting {
    /// Returns a boolean option.
    static func flag(_ option: haul_curl_number, _ isOn: Bool) -> CurlSetting { .number(option, isOn ? 1 : 0) }

    /// Returns an option with one of the shim's constants as its value.
    static func choice(_ option: haul_curl_number, _ value: some BinaryInteger) -> CurlSetting {
        .number(option, Int64(value))
    }
}

package import HTTPTypes
package import HaulCore
import HaulWire

/// Decides if a request may reach its route, from its head alone.
///
/// Over TCP the checks come in this order: `Host` against DNS rebinding; `Origin` and `Sec-Fetch-Site` against other
/// sites; for changes, the declared content type, which a form of another site can't have; and then the token. On the
/// Unix socket, which its file mode protects, only the type is checked.
package struct RequestGate: Sendable {
    /// The accepted values of `Host`, in lower case; nil on the Unix socket.
    package let hosts: Set<String>?
    /// The token with all rights; nil on the Unix socket.
    package let token: AccessToken?
    /// The tokens with a name and a scope; nil if there are none.
    private let named: TokenKeeper?

    /// Makes the gate of the Unix socket.
    package init() { (hosts, token, named) = (nil, nil, nil) }

    /// Makes the gate of a TCP port.
    ///
    /// - Parameter hosts: The names and addresses of the daemon, with a port only if it differs, as behind a proxy.
    package init(hosts: some Sequence<String>, port: Int, token: AccessToken, named: TokenKeeper? = nil) {
        self.hosts = Set(hosts.flatMap { [$0.lowercased(), "\($0.lowercased()):\(port)"] })
        (self.token, self.named) = (token, named)
    }

    /// The host names of a daemon on loopback.
    package static let loopbackHosts = ["127.0.0.1", "localhost", "[::1]"]

    /// Returns the reason why a request is refused, or nil if it may pass.
    ///
    /// - Parameter scope: The scope that the route needs.
    package func refusal(of request: HTTPRequest, under rule: RouteRule, scope: TokenScope = .manage) -> Refusal? {
        do throws(Refusal) {
            _ = try caller(of: request, under: rule, scope: scope)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the client behind a request that may pass.
    ///
    /// - Throws: The reason why it is refused.
    func caller(of request: HTTPRequest, under rule: RouteRule, scope: TokenScope) throws(Refusal) -> Caller {
        if let hosts, let refusal = site(of: request, hosts, rule) { throw refusal }
        if rule.wantsJSON, let refusal = type(of: request) { throw refusal }
        guard let token, rule.wantsToken else { return Caller(name: nil) }
        guard let given = Self.bearer(request) else { throw Self.unauthorized }
        if token.matches(given) { return Caller(name: nil) }
        guard let entry = named?.find(given) else { throw Self.unauthorized }
        guard entry.scope >= scope else {
            throw Self.forbidden(
                "the token \(entry.name) has the scope \(entry.scope.rawValue), and this needs \(scope.rawValue)")
        }
        return Caller(name: entry.name)
    }

    private static let unauthorized = Refusal(
        .unauthorized,
        DownloadError(
            .notAuthorized,
            "send \"Authorization: Bearer TOKEN\" with the token in the daemon's file token, or one of haul daemon token"
        )
    )

    private func site(of request: HTTPRequest, _ hosts: Set<String>, _ rule: RouteRule) -> Refusal? {
        // RFC 9112, section 3.2.
        guard let host = request.authority?.lowercased(), !host.isEmpty else {
            return Refusal(.badRequest, DownloadError(.invalidRequest, "the request has no Host header: send one"))
        }
        guard hosts.contains(host) else {
            let name = TerminalText.fitted(host, width: 100)
            return Self.forbidden(
                "the Host \"\(name)\" is not one of this daemon's names: add it to the setting hosts, with its port if it has one"
            )
        }
        guard rule.checksSite else { return nil }
        if let origin = request.headerFields[.origin] {
            // The daemon has no TLS: a page behind a proxy with TLS has an https origin.
            guard ["http://\(host)", "https://\(host)"].contains(origin.lowercased()) else {
                return Self.forbidden("pages of other sites are not allowed")
            }
        }
        if let site = request.headerFields[.secFetchSite], !["same-origin", "none"].contains(site.lowercased()) {
            return Self.forbidden("pages of other sites are not allowed")
        }
        return nil
    }

    private func type(of request: HTTPRequest) -> Refusal? {
        switch request.method {
        case .post, .put, .patch:
            let type = request.headerFields[.contentType]?.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
            // Without a body there is nothing to declare; a form of another site always declares a type.
            if type == nil, !request.announcesBody { return nil }
            guard type == "application/json" else {
                return Refusal(
                    .unsupportedMediaType,
                    DownloadError(.invalidRequest, "send the header \"Content-Type: application/json\""))
            }
            return nil
        case _: return nil
        }
    }

    /// Returns the token of `Authorization: Bearer TOKEN` (RFC 6750, section 2.1).
    private static func bearer(_ request: HTTPRequest) -> String? {
        guard let field = request.headerFields[.authorization] else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    private static func forbidden(_ message: String) -> Refusal {
        Refusal(.forbidden, DownloadError(.notAuthorized, message))
    }
}

/// The client behind a request.
package struct Caller: Hashable, Sendable {
    /// The name of its token; nil if it has all rights by the socket or the daemon's own token.
    package let name: String?
}

/// The checks for requests to a route.
package struct RouteRule: Hashable, Sendable {
    /// True if the token is required over TCP.
    package var wantsToken: Bool
    /// True if requests from pages of other sites are refused.
    package var checksSite: Bool
    /// True if requests that change something must be declared as JSON.
    package var wantsJSON: Bool

    /// Makes a rule.
    package init(wantsToken: Bool = true, checksSite: Bool = true, wantsJSON: Bool = true) {
        (self.wantsToken, self.checksSite, self.wantsJSON) = (wantsToken, checksSite, wantsJSON)
    }

    /// The rule of the API.
    package static let api = RouteRule()
    /// The rule for public content: the web page's files, the API document, the health check.
    ///
    /// Other sites may link to the page: it contains no data, and it can't be framed.
    package static let open = RouteRule(wantsToken: false, checksSite: false)
}

/// A refused request.
package struct Refusal: Error, Hashable, Sendable {
    /// The status of the response.
    package let status: HTTPResponse.Status
    /// The body of the response.
    package let error: DownloadError
    /// The allowed methods of the path, for a 405.
    package var methods: [HTTPRequest.Method] = []

    /// Makes a refusal.
    package init(_ status: HTTPResponse.Status, _ error: DownloadError) { (self.status, self.error) = (status, error) }

    /// Makes the refusal of a method.
    package init(onlyMethods methods: [HTTPRequest.Method]) {
        self.methods = methods.sorted { $0.rawValue < $1.rawValue }
        let names = self.methods.map(\.rawValue).joined(separator: ", ")
        (status, error) = (.methodNotAllowed, DownloadError(.invalidRequest, "method not allowed: use \(names)"))
    }

    /// Makes the refusal with the status of an error's code.
    package init(_ error: DownloadError) { self.init(.init(code: error.code.httpStatus), error) }
}

extension HTTPRequest {
    /// The value of `Content-Length`; nil if unknown.
    var announcedLength: Int? { headerFields[.contentLength].flatMap { Int($0) } }

    /// True if the head announces a body (RFC 9112, section 6).
    var announcesBody: Bool { headerFields[.transferEncoding] != nil || (announcedLength ?? 0) != 0 }
}

extension HTTPField.Name {
    /// The header `Sec-Fetch-Site` (Fetch Metadata Request Headers, section 2.4); the fallback is never used, because
    /// the name is valid.
    static let secFetchSite = Self("Sec-Fetch-Site") ?? .origin
}

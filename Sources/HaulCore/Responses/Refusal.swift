/// The details of a refusal, other than its status, for the message.
package struct Refusal: Hashable, Sendable {
    /// The kind of authentication that the request used.
    package enum Login: Hashable, Sendable {
        /// No authentication.
        case nobody
        /// A user name and a password, with this scheme.
        case user(AuthenticationScheme)
        /// A token.
        case token
        /// None, because a redirect led to another origin than this one, which the caller's credentials are for.
        case withheld(for: String)
    }

    /// The reply of a file server, such as `530 Login incorrect.`; empty if it has no text; nil if the server uses
    /// HTTP.
    package var reply: String?
    /// The authentication schemes that the server offers, in lower case.
    package var offers: [String] = []
    /// The kind of authentication that the request used.
    package var login = Login.nobody

    /// Makes a refusal.
    package init(reply: String? = nil, offers: [String] = [], login: Login = .nobody) {
        self.reply = reply
        self.offers = offers
        self.login = login
    }
}

extension DownloadError {
    /// Returns the error for a file that does not exist or is not accessible to the client: 401, 403, 404, 407 or 410.
    ///
    /// - Parameter proxy: The proxy that forwards the request, if it could have sent the response itself.
    package static func denied(_ status: Int, _ refusal: Refusal, by proxy: ProxyURL? = nil) -> DownloadError {
        if let reply = refusal.reply { return denied(status, reply, refusal.login) }
        let line = "the server returned \(statusLine(status))"
        return switch status {
        case 404, 410: DownloadError(.notFound, "\(line): check the URL").through(proxy)
        case 407: proxyDenied(line, proxy)
        case 401: unauthorized(line, refusal).through(proxy)
        default:
            DownloadError(
                .notAuthorized, line, cause: withheld(refusal) ?? offers(refusal),
                detail: refusal.login == .nobody && proxy == nil ? .forbidden : withheld(refusal).map { _ in .withheld }
            )
            .through(proxy)
        }
    }

    /// Returns the error for a server that can't send the file now: 429, 5xx and similar statuses.
    package static func busy(_ status: Int, _ refusal: Refusal, by proxy: ProxyURL? = nil) -> DownloadError {
        if let reply = refusal.reply {
            return DownloadError(.serverBusy, "the server is busy", cause: reply.isEmpty ? nil : reply)
        }
        return DownloadError(
            .serverBusy, "the server returned \(statusLine(status))", detail: status == 429 ? .tooManyRequests : nil
        ).through(proxy)
    }

    /// Returns the error with the name of the proxy, unless the message names it.
    package func through(_ proxy: ProxyURL?) -> DownloadError {
        guard let proxy, !message.contains(proxy.description) else { return self }
        let way = "through the proxy \(proxy)"
        return DownloadError(code, message, cause: cause.map { "\($0), \(way)" } ?? way, detail: detail)
    }

    private static func unauthorized(_ line: String, _ refusal: Refusal) -> DownloadError {
        let offers = offers(refusal)
        let wantsToken = !refusal.offers.isEmpty && Set(refusal.offers) == ["bearer"]
        switch refusal.login {
        case .user(let scheme)
        where scheme != .any && !refusal.offers.isEmpty
            && !refusal.offers.contains(scheme.rawValue):
            let cause = offers.map { "\($0), not \(Challenges.list([scheme.rawValue]))" }
            return DownloadError(
                .notAuthorized, line, cause: cause, detail: wantsToken ? .tokenNeeded : .otherSchemeNeeded)
        case .nobody,
            .user where wantsToken:
            let detail: Detail = wantsToken ? .tokenNeeded : .loginNeeded
            return DownloadError(.notAuthorized, line, cause: offers, detail: detail)
        case .user:
            return DownloadError(
                .notAuthorized, "\(line): it refused the user name or password", cause: offers, detail: .loginRefused)
        case .token:
            return DownloadError(.notAuthorized, "\(line): it refused the token", cause: offers, detail: .loginRefused)
        case .withheld:
            return DownloadError(.notAuthorized, line, cause: withheld(refusal), detail: .withheld)
        }
    }

    private static func withheld(_ refusal: Refusal) -> String? {
        guard case .withheld(let home) = refusal.login else { return nil }
        return "after a redirect from \(home), whose credentials no other host receives"
    }

    private static func offers(_ refusal: Refusal) -> String? {
        refusal.offers.isEmpty ? nil : "it offers \(Challenges.list(refusal.offers))"
    }

    private static func proxyDenied(_ line: String, _ proxy: ProxyURL?) -> DownloadError {
        guard let proxy else { return DownloadError(.notAuthorized, line) }
        return proxy.credentials == nil
            ? DownloadError(
                .notAuthorized, "the proxy \(proxy) requires a user name and a password", detail: .proxyLoginNeeded)
            : DownloadError(
                .notAuthorized, "the proxy \(proxy) refused the user name or password", detail: .proxyLoginRefused)
    }

    /// Returns the error for a file server, whose replies have no HTTP status.
    private static func denied(_ status: Int, _ reply: String, _ login: Refusal.Login) -> DownloadError {
        let cause = reply.isEmpty ? nil : reply
        return switch status {
        case 401:
            DownloadError(
                .notAuthorized, "login refused", cause: cause, detail: login == .nobody ? .loginNeeded : .loginRefused)
        case 404: DownloadError(.notFound, "no such file", cause: cause)
        default: DownloadError(.notAuthorized, "permission denied", cause: cause)
        }
    }
}

/// Returns a status with its usual reason phrase, for messages.
package func statusLine(_ status: Int) -> String {
    statusReasons[status].map { "\(status) \($0)" } ?? "\(status)"
}

/// The standard reason phrases of HTTP statuses (RFC 9110, section 15; RFC 6585; RFC 7725; and Cloudflare's).
///
/// HTTPTypes knows them by name only, not by number, and servers may send any phrase of their own.
let statusReasons: [Int: String] = [
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
    205: "Reset Content", 206: "Partial Content", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found",
    303: "See Other", 304: "Not Modified", 305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
    409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
    418: "I'm a Teapot", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
    424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required",
    428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    506: "Variant Also Negotiates",
    507: "Insufficient Storage", 508: "Loop Detected", 509: "Bandwidth Limit Exceeded", 510: "Not Extended",
    511: "Network Authentication Required", 520: "Unknown Error", 521: "Web Server Is Down",
    522: "Connection Timed Out", 523: "Origin Is Unreachable", 524: "A Timeout Occurred",
    525: "SSL Handshake Failed", 526: "Invalid SSL Certificate", 530: "Origin DNS Error",
]

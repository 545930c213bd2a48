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
                .notAuthorized, line, cause: offers(refusal),
                detail: refusal.login == .nobody && proxy == nil ? .forbidden : nil
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
        }
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

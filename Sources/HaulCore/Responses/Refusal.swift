/// What is known of a refusal beyond its status, for the message.
package struct Refusal: Hashable, Sendable {
    /// How the request had logged in.
    package enum Login: Hashable, Sendable {
        /// Not at all.
        case nobody
        /// With a user name and a password, in this way.
        case user(AuthenticationScheme)
        /// With a token.
        case token
    }

    /// The reply of a file server, such as `530 Login incorrect.`; empty if it has no words; nil: the server speaks HTTP.
    package var reply: String?
    /// The ways to log in that the server offers, in small letters.
    package var offers: [String] = []
    /// How the request had logged in.
    package var login = Login.nobody

    /// Makes one.
    package init(reply: String? = nil, offers: [String] = [], login: Login = .nobody) {
        self.reply = reply
        self.offers = offers
        self.login = login
    }
}

extension DownloadError {
    /// The error of a status that says that the file is not there, or not for the client: 401, 403, 404, 407 or 410.
    ///
    /// - Parameter proxy: The proxy that passes the request on, if it could have sent the response itself.
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

    /// The error of a server that can't send the file now: 429, or 5xx and the like.
    package static func busy(_ status: Int, _ refusal: Refusal, by proxy: ProxyURL? = nil) -> DownloadError {
        if let reply = refusal.reply {
            return DownloadError(.serverBusy, "the server is busy", cause: reply.isEmpty ? nil : reply)
        }
        return DownloadError(
            .serverBusy, "the server returned \(statusLine(status))", detail: status == 429 ? .tooManyRequests : nil
        ).through(proxy)
    }

    /// The error with the name of the proxy between Haul and the server, unless it names it already.
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

    /// In the words of file servers, which know no status.
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

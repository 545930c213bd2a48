import HaulCore
import HaulTransport

/// The credentials for a run, and the origins that may receive them.
///
/// This implements the guarantee *secrets stay home*: only the URL's own origin receives the credentials, and any other
/// host only those that a file of the user's has for exactly that host.
struct SourceAccess: Sendable {
    /// The user name and password from the options.
    var login: URLCredentials?
    /// A bearer token.
    var token: String?
    /// The authentication scheme to use.
    var scheme = AuthenticationScheme.any
    /// Users and passwords by host.
    var netrc: Netrc?
    /// The cookies of a file.
    var cookies: [Cookie] = []

    /// Creates an access without credentials.
    init() {}

    /// Returns the credentials for a URL; nil if there are none.
    ///
    /// At the source's own origin, the first of these: credentials with a password in the URL, the user of the options,
    /// the token, and `netrc` (with its default for the download's own URL). At any other origin, `netrc` is searched
    /// without its default; for another host only if all URLs on the way have TLS, since anyone between could have
    /// named the host otherwise; for the same host not after a redirect away from TLS.
    ///
    /// - Parameters:
    ///   - home: The URL of the source as it was given.
    ///   - way: The URLs of the redirects that led to the URL.
    ///   - isMain: True for the download's own URL, false for a mirror: the user and token of the options are for the
    ///     own URL only.
    ///   - isForeign: True if the URL comes from a third party's document: then the default of `netrc` is not used, and
    ///     `netrc` only over TLS.
    func response(
        at url: SourceURL, home: SourceURL, way: [SourceURL] = [], isMain: Bool = true, isForeign: Bool = false
    ) -> Answer? {
        guard url.origin == home.origin else {
            let isSafe =
                url.host == home.host
                ? url.isSecure || !home.isSecure && !isForeign : ([home, url] + way).allSatisfy(\.isSecure)
            guard isSafe else { return nil }
            return netrc?.credentials(for: url.host, allowsDefault: false).map { .credentials($0) }
        }
        if let named = home.credentials, !named.password.isEmpty { return .credentials(named) }
        if isMain, let login { return .credentials(login) }
        if isMain, let token { return .token(token) }
        let user = home.credentials.flatMap { $0.user.isEmpty ? nil : $0.user }
        let asked = url.isSecure || !isForeign ? netrc : nil
        let found = asked?.credentials(for: url.host, user: user, allowsDefault: isMain && !isForeign)
        return (found ?? home.credentials).map { .credentials($0) }
    }

    /// Credentials to be sent.
    enum Answer: Hashable, Sendable {
        case credentials(URLCredentials)
        case token(String)
    }
}

extension SourceAccess.Answer {
    /// The `Authorization` header.
    var authorization: String {
        switch self {
        case .credentials(let credentials): credentials.basicAuthorization
        case .token(let token): "Bearer " + token
        }
    }
}

extension Authentication {
    /// Creates the authentication that only a transport can carry out, because it depends on the server; nil if a
    /// header suffices.
    init?(_ scheme: AuthenticationScheme, _ response: SourceAccess.Answer?) {
        let credentials: URLCredentials
        switch (response, scheme) {
        case (.credentials(let found), _): credentials = found
        // Kerberos uses tickets without a user name.
        case (nil, .negotiate): credentials = URLCredentials(user: "", password: "")
        case (.token, _), (nil, _): return nil
        }
        let known = Credentials(user: credentials.user, password: credentials.password)
        switch scheme {
        case .any: self.init(Set(Scheme.allCases), known)
        case .basic: return nil
        case .digest: self.init([.digest], known)
        case .ntlm: self.init([.ntlm], known)
        case .negotiate: self.init([.negotiate], known)
        }
    }
}

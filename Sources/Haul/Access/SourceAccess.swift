import HaulCore
import HaulTransport

/// What a run knows of who asks, and for whom that is.
///
/// The guarantee *secrets stay home* is kept here: the URL's own origin hears it, and another host only what a file of the user's
/// says for exactly that host.
struct SourceAccess: Sendable {
    /// User name and password out of the options.
    var login: URLCredentials?
    /// A bearer token.
    var token: String?
    /// How a server is told.
    var scheme = AuthenticationScheme.any
    /// Users and passwords by host.
    var netrc: Netrc?
    /// The cookies of a file.
    var cookies: [Cookie] = []

    /// Knows nothing.
    init() {}

    /// Who asks at a URL; nil: nobody in particular.
    ///
    /// At home it is, in this order: whom the URL names with a password, the options' user, the token, `netrc` with its default. The
    /// `netrc` is asked anew for each other host, without its default, and not where TLS was left on the way.
    ///
    /// - Parameters:
    ///   - home: The URL of the source as it was given.
    ///   - isMain: Whether that is the download's own URL, not a mirror: the options' user and token are for it alone.
    ///   - isForeign: Whether a document of somebody else's named it: then `netrc` has no default, and is for TLS only.
    func response(at url: SourceURL, home: SourceURL, isMain: Bool = true, isForeign: Bool = false) -> Answer? {
        guard url.origin == home.origin else {
            guard url.isSecure || !home.isSecure && !isForeign else { return nil }
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

    /// What is told.
    enum Answer: Hashable, Sendable {
        case credentials(URLCredentials)
        case token(String)
    }
}

extension SourceAccess.Answer {
    /// The `Authorization` header that tells it.
    var authorization: String {
        switch self {
        case .credentials(let credentials): credentials.basicAuthorization
        case .token(let token): "Bearer " + token
        }
    }
}

extension Authentication {
    /// What only a transport can tell, since the server has its say in it; nil for what a header says.
    init?(_ scheme: AuthenticationScheme, _ response: SourceAccess.Answer?) {
        let credentials: URLCredentials
        switch (response, scheme) {
        case (.credentials(let found), _): credentials = found
        // Kerberos has its tickets without a user name.
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

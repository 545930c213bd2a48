import HTTPTypes
import HaulCore
import HaulLibC
import HaulTransport

/// Creates the request for a fetch plan.
struct RequestBuilder: Sendable {
    /// The spec of the download.
    let spec: DownloadSpec
    /// The URLs of the sources, the primary one first; credentials of each are sent to its own origin only.
    let homes: [SourceURL]
    /// The credentials.
    let access: SourceAccess
    /// The cookies of this run.
    let cookies: CookieKeeper
    private let proxies: ProxySettings
    private let localAddress: String?

    /// The default `User-Agent`.
    static let userAgent = "haul/\(Version.current)"

    /// Headers that describe the body, and are sent wherever it is, and nowhere else if there is one.
    private static let ofBody: Set<HTTPField.Name> = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation,
    ]

    /// Headers without secrets, which may be sent to any origin.
    private static let harmless: Set<HTTPField.Name> = [.accept, .acceptLanguage, .userAgent]

    /// Creates a builder for one run.
    ///
    /// - Parameter homes: The URLs of its sources, the primary one first; not empty.
    init(spec: DownloadSpec, homes: [SourceURL], access: SourceAccess, context: RunContext) {
        self.spec = spec
        self.homes = homes
        self.access = access
        cookies = CookieKeeper(access.cookies, wallClock: context.clock.seconds)
        proxies = context.proxies
        localAddress = context.localAddress
    }

    /// Returns the request for a fetch.
    ///
    /// The caller's headers, except harmless ones and those that describe a body, and the client certificate are sent
    /// only to the origin of the spec's URL. A body is sent wherever a redirect with its method leads. The proxy is chosen for each URL, and its credentials are sent only to it.
    func request(for plan: FetchPlan) -> TransferRequest {
        let isHome = plan.url.origin == homes[0].origin
        let response = response(for: plan)
        let authentication = authentication(at: plan.url, response, isHome: isHome)
        var request = TransferRequest(
            url: plan.url.string,
            headers: headers(
                for: plan, isHome: isHome, authentication == nil && plan.url.isWeb ? response?.authorization : nil),
            timeToConnect: spec.connectTimeout, insecure: spec.insecure)
        request.method = plan.form.method
        if plan.form.hasBody { request.body = spec.source.body?.bytes ?? [] }
        request.authentication = authentication
        request.proxy = proxies.proxy(for: plan.url.origin).map { Proxy($0) }
        request.localAddress = localAddress
        request.keepsContentCoding = spec.compression == .keep
        request.publicAddressesOnly = spec.publicAddressesOnly
        if isHome, let path = spec.clientCertificatePath {
            request.clientCertificate = ClientCertificate(certificatePath: path, keyPath: spec.clientKeyPath)
        }
        return request
    }

    /// Returns the way in which the request for a fetch authenticates.
    func login(for plan: FetchPlan) -> Refusal.Login {
        switch response(for: plan) {
        case .credentials: .user(plan.url.isWeb ? access.scheme : .any)
        case .token: .token
        // The scheme of an `Authorization` header given by the caller is not known.
        case nil where plan.url.origin == homes[0].origin: hasOwnAuthorization ? .user(.any) : .nobody
        case nil: hasCredentialsAtHome(plan) ? .withheld(for: home(of: plan).origin.description) : .nobody
        }
    }

    private func response(for plan: FetchPlan) -> SourceAccess.Answer? { response(at: plan.url, for: plan) }

    private func response(at url: SourceURL, for plan: FetchPlan) -> SourceAccess.Answer? {
        access.response(
            at: url, home: home(of: plan), way: plan.way, isMain: isMain(plan),
            isForeign: spec.isNamedByDocument)
    }

    private func isMain(_ plan: FetchPlan) -> Bool { !homes.indices.dropFirst().contains(plan.source.index) }

    private func home(of plan: FetchPlan) -> SourceURL { isMain(plan) ? homes[0] : homes[plan.source.index] }

    private func hasCredentialsAtHome(_ plan: FetchPlan) -> Bool {
        isMain(plan) && hasOwnAuthorization || response(at: home(of: plan), for: plan) != nil
    }

    /// Returns the authentication that the transport must carry out, since a header can't.
    private func authentication(at url: SourceURL, _ response: SourceAccess.Answer?, isHome: Bool) -> Authentication? {
        guard url.isWeb else {
            guard case .credentials(let login)? = response else { return nil }
            return Authentication([.basic], Credentials(user: login.user, password: login.password))
        }
        // An `Authorization` header given by the caller takes precedence.
        guard access.scheme != .any || !isHome || !hasOwnAuthorization else { return nil }
        // A scheme that must not be used at the primary source must not be used elsewhere, either.
        return isHome || response != nil ? Authentication(access.scheme, response) : nil
    }

    private var hasOwnAuthorization: Bool {
        spec.headers.contains { HTTPField.Name($0.name) == .authorization }
    }

    private func headers(for plan: FetchPlan, isHome: Bool, _ authorization: String?) -> HTTPFields {
        var fields: HTTPFields = [.userAgent: Self.userAgent, .accept: "*/*"]
        if let authorization { fields.append(HTTPField(name: .authorization, value: authorization)) }
        if isHome, let referer = spec.access.sentReferer { fields[.referer] = referer }
        var replaced: Set<HTTPField.Name> = []
        if plan.form.hasBody, let type = spec.source.body?.mediaType { fields[.contentType] = type }
        for header in spec.headers {
            guard let name = HTTPField.Name(header.name), name != .proxyAuthorization else { continue }
            if spec.source.body != nil, Self.ofBody.contains(name) {
                guard plan.form.hasBody else { continue }
            } else if !isHome, !Self.harmless.contains(name) {
                continue
            }
            if replaced.insert(name).inserted { fields[values: name] = [] }
            if !header.value.isEmpty { fields.append(HTTPField(name: name, value: header.value)) }
        }
        // RFC 6265, section 5.4: all cookies in one header. As a single value HTTPTypes would take it apart, as for HTTP/2.
        let all = [cookies.header(for: plan.url)].compactMap(\.self) + fields[values: .cookie]
        if !all.isEmpty { fields[values: .cookie] = [all.joined(separator: "; ")] }
        // A part of a compressed file is of no use.
        let coding = spec.compression == .request && !plan.ask.usesRange ? "gzip, deflate" : "identity"
        let own: [(HTTPField.Name, String?)] = [
            (.acceptEncoding, coding), (.range, plan.ask.rangeHeader), (.ifRange, plan.ask.ifRangeHeader),
            (.ifModifiedSince, plan.ask.ifModifiedSinceHeader),
        ]
        for (name, value) in own {
            if replaced.contains(name) { fields[name] = nil }
            if let value { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }
}

extension Proxy {
    /// Converts a proxy URL for the transports.
    fileprivate init(_ url: ProxyURL) {
        let scheme: Scheme =
            switch url.scheme {
            case .http: .http
            case .https: .https
            case .socks4: .socks4
            case .socks4a: .socks4a
            case .socks5: .socks5
            case .socks5h: .socks5h
            }
        self.init(
            scheme, host: url.host, port: url.port,
            credentials: url.credentials.map { Credentials(user: $0.user, password: $0.password) })
    }
}

/// Interprets the response head of a fetch, and takes its cookies.
struct HeadReader: Sendable {
    let plan: FetchPlan
    let cookies: CookieKeeper
    /// The way in which the request authenticates.
    var login = Refusal.Login.nobody
    /// Receives each response; nil for none.
    var observer: ResponseObserver?
    /// Returns the seconds since 1970.
    let wallClock: @Sendable () -> Int64

    /// Returns the meaning of a response for the request.
    func read(_ response: HTTPResponse) -> ResponseDecision {
        observer?.receive(response, plan.url)
        let decision = ResponseDecision.decide(plan.ask, response, url: plan.url, now: wallClock())
        let newCookies = cookies.receive(response.headerFields, from: plan.url)
        switch decision {
        case .redirect(let location, let status, _, let links) where newCookies:
            return .redirect(location: location, status: status, newCookies: true, links: links)
        case .denied(let status, var refusal):
            refusal.login = login
            return .denied(status: status, refusal)
        case .redirect, .take, .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange,
            .rangesBroken, .busy, .tryAgain, .refuse:
            return decision
        }
    }
}

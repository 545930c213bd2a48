import HTTPTypes
import HaulCore
import HaulTransport

/// Makes the request that a fetch plan asks for.
struct RequestBuilder: Sendable {
    /// The spec that the download was made of.
    let spec: DownloadSpec
    /// The URLs of its sources, the main one first; credentials of each are for its origin only.
    let homes: [SourceURL]
    /// Who asks.
    let access: SourceAccess
    /// The cookies of this run.
    let cookies: CookieKeeper
    private let proxies: ProxySettings
    private let localAddress: String?

    /// What Haul calls itself unless told otherwise.
    static let userAgent = "haul/0.1"

    /// Headers that carry no secret and may go to any origin.
    private static let harmless: Set<HTTPField.Name> = [.accept, .acceptLanguage, .userAgent]

    /// Makes a builder for one run.
    ///
    /// - Parameter homes: The URLs of its sources, the main one first; not empty.
    init(spec: DownloadSpec, homes: [SourceURL], access: SourceAccess, context: RunContext) {
        self.spec = spec
        self.homes = homes
        self.access = access
        cookies = CookieKeeper(access.cookies, wallClock: WallClock.now)
        proxies = context.proxies
        localAddress = context.localAddress
    }

    /// The request for one fetch.
    ///
    /// Headers of the caller stay at the origin of the spec's URL, but for the harmless ones, and so does the client certificate. The
    /// proxy is chosen anew for each URL, and it alone hears its credentials.
    func request(for plan: FetchPlan) -> TransferRequest {
        let isHome = plan.url.origin == homes[0].origin
        let response = response(for: plan)
        let authentication = authentication(at: plan.url, response, isHome: isHome)
        var request = TransferRequest(
            url: plan.url.string,
            headers: headers(
                for: plan, isHome: isHome, authentication == nil && plan.url.isWeb ? response?.authorization : nil),
            connectTimeout: spec.connectTimeout, insecure: spec.insecure)
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

    /// How the request for a fetch logs in.
    func login(for plan: FetchPlan) -> Refusal.Login {
        switch response(for: plan) {
        case .credentials: .user(plan.url.isWeb ? access.scheme : .any)
        case .token: .token
        // Which way the caller's own header logs in is the caller's to know.
        case nil: plan.url.origin == homes[0].origin && hasOwnAuthorization ? .user(.any) : .nobody
        }
    }

    private func response(for plan: FetchPlan) -> SourceAccess.Answer? {
        let isMain = !homes.indices.dropFirst().contains(plan.source.index)
        return access.response(
            at: plan.url, home: isMain ? homes[0] : homes[plan.source.index], isMain: isMain,
            isForeign: spec.isNamedByDocument)
    }

    /// What the transport itself has to tell the server, since no header can.
    private func authentication(at url: SourceURL, _ response: SourceAccess.Answer?, isHome: Bool) -> Authentication? {
        guard url.isWeb else {
            guard case .credentials(let login)? = response else { return nil }
            return Authentication([.basic], Credentials(user: login.user, password: login.password))
        }
        // Who writes the header himself has chosen.
        guard access.scheme != .any || !isHome || !hasOwnAuthorization else { return nil }
        // What was not to be sent as it is at home is not elsewhere either.
        return isHome || response != nil ? Authentication(access.scheme, response) : nil
    }

    private var hasOwnAuthorization: Bool {
        spec.headers.contains { HTTPField.Name($0.name) == .authorization }
    }

    private func headers(for plan: FetchPlan, isHome: Bool, _ authorization: String?) -> HTTPFields {
        var fields: HTTPFields = [.userAgent: Self.userAgent, .accept: "*/*"]
        if let authorization { fields.append(HTTPField(name: .authorization, value: authorization)) }
        var replaced: Set<HTTPField.Name> = []
        for header in spec.headers {
            guard let name = HTTPField.Name(header.name), isHome || Self.harmless.contains(name),
                name != .proxyAuthorization
            else { continue }
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
    /// A proxy as the transports take it.
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

/// Reads the head of a fetch's answer: what it means, and its cookies.
struct HeadReader: Sendable {
    let plan: FetchPlan
    let cookies: CookieKeeper
    /// How the request logs in.
    var login = Refusal.Login.nobody
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64

    /// What an answer means for the request.
    func read(_ response: HTTPResponse) -> ResponseDecision {
        let decision = ResponseDecision.decide(plan.ask, response, url: plan.url, now: wallClock())
        let newCookies = cookies.receive(response.headerFields, from: plan.url)
        switch decision {
        case .redirect(let location, _, let links) where newCookies:
            return .redirect(location: location, newCookies: true, links: links)
        case .denied(let status, var refusal):
            refusal.login = login
            return .denied(status: status, refusal)
        case .redirect, .take, .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange,
            .rangesBroken, .busy, .tryAgain, .refuse:
            return decision
        }
    }
}

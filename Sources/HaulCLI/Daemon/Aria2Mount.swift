import HTTPTypes
import Haul
import HaulAria2
import HaulCore
import HaulServer
import HaulWire

/// aria2's JSON-RPC as part of the daemon: at `/jsonrpc`, over HTTP and WebSocket, with the daemon's token as the
/// secret.
///
/// The daemon's own rules apply: its roots, its sources, no changes by GET, and no access for pages of other sites
/// unless allowed; these need the token too. Roots and sources are asked for at each call, because a reload changes
/// them.
struct Aria2Mount: Sendable {
    private let http: Aria2HTTP
    /// A rule without checks of the token and the content type: aria2's clients send the token in each call, and any type.
    private let rule: RouteRule

    /// Serves the daemon's downloads.
    ///
    /// - Parameter allowsAllOrigins: True if pages of all sites may call, and read the responses.
    init(_ state: DaemonState, _ token: AccessToken, allowsAllOrigins: Bool) {
        var configuration = Aria2Configuration { Self.roots(state.rules.roots) }
        configuration.secret = token.text
        configuration.allowsGet = false
        configuration.checkSource = { source throws(DownloadError) in try SourceRules.checkKind(source) }
        configuration.admit = { spec throws(DownloadError) in try state.sources(isLocal: false).apply(to: &spec) }
        configuration.changeSettings = { jobs, rate throws(DownloadError) in
            try await state.change(Self.patch(jobs, rate))
        }
        http = Aria2HTTP(
            Aria2RPC(state.manager, configuration),
            access: Aria2Access(allowsAllOrigins: allowsAllOrigins, hasSecret: true))
        rule = RouteRule(wantsToken: false, checksSite: !allowsAllOrigins, wantsJSON: false)
    }

    /// Returns the folders as aria2's interface uses them, with the daemon's own message for others.
    private static func roots(_ roots: FolderRoots) -> Aria2Roots {
        Aria2Roots(folder: roots.paths[0], roots: roots.paths) { roots.outside($0).message }
    }

    /// Returns the change of the daemon's settings for aria2's options; nil leaves one as it is.
    static func patch(_ jobs: Int64?, _ rate: Int64?) -> SettingsPatch {
        var patch = SettingsPatch()
        // `getGlobalOption` returns aria2's largest number if there is no limit.
        patch.jobs = jobs.map { jobs in
            SettingsPatch.Change(jobs < Int64(Int32.max) ? Int(min(jobs, Int64(ManagerSettings.maxLimit))) : nil)
        }
        patch.rateLimit = rate.map { SettingsPatch.Change(min($0, Bounds.maxRate)) }
        return patch
    }

    /// Calls by POST, and CORS preflight requests if all origins are allowed (Fetch standard, section 3.2).
    var requests: RequestMount {
        RequestMount(
            Aria2HTTP.path, methods: http.access.allowsAllOrigins ? [.post, .options] : [.post], rule: rule,
            largestBody: http.rpc.configuration.maxBytes
        ) { [http] asked in
            let response = await http.respond(
                to: Aria2HTTP.Request(
                    method: asked.method.rawValue, target: Aria2HTTP.path,
                    wantedHeaders: asked.headers.first { $0.name.canonicalName == "access-control-request-headers" }?
                        .value, body: Array(asked.body)))
            var (type, headers) = ("application/json-rpc", HTTPFields())
            for header in response.headers {
                if header.name == "Content-Type" { type = header.value; continue }
                if let name = HTTPField.Name(header.name) { headers[name] = header.value }
            }
            return MountedResponse(
                HTTPResponse.Status(code: response.status), type: type, headers: headers, body: response.body)
        }
    }

    /// Calls and notifications over WebSocket.
    var webSockets: WebSocketMount {
        WebSocketMount(Aria2HTTP.path, rule: rule, largestFrame: http.rpc.configuration.maxBytes) {
            [http] channel, _ in
            // A broken connection has ended; there is no client to report an error to.
            try? await Aria2WebSocket.serve(channel, http.rpc, notifiesAtOnce: false)
        }
    }
}

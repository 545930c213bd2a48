import HTTPTypes
import HaulAria2
import HaulAria2Server
import HaulCore
import HaulServer

/// aria2's JSON-RPC as a part of the daemon: at `/jsonrpc`, over HTTP and WebSocket, with the daemon's token as the secret.
///
/// The daemon's own rules hold: its roots, its sources, no pages of other sites, nothing changed by GET.
struct Aria2Mount: Sendable {
    private let http: Aria2HTTP

    /// Serves the daemon's downloads.
    init(_ state: DaemonState, _ token: AccessToken) {
        let roots = state.rules.roots.paths
        var configuration = Aria2Configuration(roots: Aria2Roots(folder: roots[0], roots: roots))
        configuration.secret = token.text
        configuration.schemes = ["http", "https"]
        configuration.allowsGet = false
        configuration.template.publicAddressesOnly = !state.sources(isLocal: false).allowsPrivateAddresses
        configuration.refusal = { spec in
            var spec = spec
            do throws(DownloadError) {
                try state.sources(isLocal: false).apply(to: &spec)
                return nil
            } catch { return error.message }
        }
        http = Aria2HTTP(Aria2RPC(state.manager, configuration), access: Aria2Access(hasSecret: true))
    }

    /// Calls by POST.
    var requests: RequestMount {
        RequestMount(
            Aria2HTTP.path, methods: [.post], rule: Self.rule, largestBody: http.rpc.configuration.mostBytes
        ) { [http] asked in
            let answer = await http.respond(
                to: Aria2HTTP.Request(method: asked.method.rawValue, target: Aria2HTTP.path, body: Array(asked.body)))
            let type = answer.headers.first { $0.name == "Content-Type" }?.value
            return MountedAnswer(
                HTTPResponse.Status(code: answer.status), type: type ?? "application/json-rpc", body: answer.body)
        }
    }

    /// Calls and notifications over WebSocket.
    var webSockets: WebSocketMount {
        WebSocketMount(Aria2HTTP.path, rule: Self.rule, largestFrame: http.rpc.configuration.mostBytes) {
            [http] channel, _ in
            // A connection that breaks is over; there is nobody to tell.
            try? await Aria2WebSocket.serve(channel, http.rpc, hearsAtOnce: false)
        }
    }

    /// aria2's clients show the token in each call, and declare what they like.
    private static let rule = RouteRule(wantsToken: false, wantsJSON: false)
}

import HTTPTypes
import HaulCore
import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Handles a request: checks it, finds its route, and adds the headers of every response.
package struct Dispatcher: Sendable {
    private let responder: RouterResponder<APIContext>
    private let gate: RequestGate

    /// Makes the dispatcher of one listening socket.
    ///
    /// - Parameter isLocal: True for a Unix socket.
    package init(_ routes: [APIRoute], gate: RequestGate, isLocal: Bool) {
        self.gate = gate
        let router = Router(context: APIContext.self)
        for (path, routes) in Dictionary(grouping: routes, by: \.path) {
            let place = RouterPath(path.replacing("{id}", with: ":id"))
            for route in routes {
                router.on(place, method: route.method) { request, context in
                    try await Self.respond(request, context, route, gate, isLocal: isLocal)
                }
            }
            var known = Set(routes.map(\.method))
            if let get = routes.first(where: { $0.method == .get }), known.insert(.head).inserted {
                router.on(place, method: .head) { request, context in
                    try await Self.respond(request, context, get, gate, isLocal: isLocal).createHeadResponse()
                }
            }
            for method in Self.methods where !known.contains(method) {
                router.on(place, method: method) { [known] _, _ -> Response in
                    throw Refusal(onlyMethods: Array(known))
                }
            }
        }
        responder = router.buildResponder()
    }

    /// Responds to a request; every error becomes a response.
    package func respond(to request: Request, on channel: any Channel, logger: Logger) async -> Response {
        var response: Response
        do {
            // The host is checked first, even before the path.
            if let refusal = gate.refusal(of: request.head, under: .host) { throw refusal }
            guard Self.methods.contains(request.method) else { throw Self.unknownMethod }
            let context = APIContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            response = try await responder.respond(to: request, context: context)
            // The router's own response if there is no route.
            if response.status == .notFound, response.headers[.contentType] == nil { throw Self.nothing }
        } catch {
            response = .failure(error)
        }
        if response.status.kind != .successful {
            // Closes the connection if the client keeps sending after a rejection.
            response.headers[.connection] = "close"
            channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
        }
        return response.hardened()
    }

    private static func respond(
        _ request: Request, _ context: APIContext, _ route: APIRoute, _ gate: RequestGate, isLocal: Bool
    ) async throws -> Response {
        let caller = try gate.caller(of: request.head, under: route.rule, scope: route.scope)
        let text = context.parameters.get("id")
        // Accepts only the canonical form of a number.
        let id = text.flatMap(Int64.init).flatMap { String($0) == text ? DownloadID(rawValue: $0) : nil }
        var body = Data()
        if route.method != .get, request.method != .head {
            guard (request.head.announcedLength ?? 0) <= route.largestBody else {
                throw RequestBodyReader.tooLarge(route.largestBody)
            }
            body = try await RequestBodyReader.read(request.body, limit: route.largestBody)
        }
        return try await route.response(
            APIRequest(
                head: request.head,
                query: QueryFields.read(request.uri.query ?? ""), id: id, body: body, caller: caller,
                isLocal: isLocal, gone: context.gone))
    }

    private static let nothing = Refusal(
        .notFound, DownloadError(.notFound, "unknown path: see /api/v1/openapi.json"))

    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace,
    ]
    private static let unknownMethod = Refusal(
        .notImplemented, DownloadError(.invalidRequest, "unknown method"))
}

extension RouteRule {
    /// The checks for every request.
    static let host = RouteRule(wantsToken: false, checksSite: false, wantsJSON: false)
}

/// Hummingbird's context of a request.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Succeeds when the connection has ended.
    let gone: EventLoopFuture<Void>

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        gone = source.channel.closeFuture
    }
}

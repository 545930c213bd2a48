/// aria2's interface over HTTP, independent of the server: requests and responses are values.
package struct Aria2HTTP: Sendable {
    /// The relevant parts of a request.
    package struct Request: Sendable {
        /// The method, such as `POST`.
        package var method: String
        /// Path and query, as they were sent.
        package var target: String
        /// The header `Host`.
        package var host: String?
        /// The header `Origin`.
        package var origin: String?
        /// The header `Access-Control-Request-Headers`.
        package var wantedHeaders: String?
        /// The body.
        package var body: [UInt8]

        /// Creates a request.
        package init(
            method: String, target: String, host: String? = nil, origin: String? = nil, wantedHeaders: String? = nil,
            body: [UInt8] = []
        ) {
            self.method = method
            self.target = target
            self.host = host
            self.origin = origin
            self.wantedHeaders = wantedHeaders
            self.body = body
        }

        /// The path without the query.
        package var path: String { String(target.prefix { $0 != "?" }) }
    }

    /// A response.
    package struct Response: Hashable, Sendable {
        /// The status.
        package var status: Int
        /// The headers in order, except for the length of the body.
        package var headers: [Header]
        /// The body.
        package var body: [UInt8]
        /// True if the connection is closed after the response.
        package var closes: Bool

        /// Creates a response.
        package init(status: Int, headers: [Header], body: [UInt8], closes: Bool) {
            self.status = status
            self.headers = headers
            self.body = body
            self.closes = closes
        }
    }

    /// A header line.
    package struct Header: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String
    }

    /// The path of JSON-RPC, over HTTP and WebSocket.
    package static let path = "/jsonrpc"

    /// The JSON-RPC interface.
    package let rpc: Aria2RPC
    /// The access rules.
    package let access: Aria2Access

    /// Creates the interface.
    package init(_ rpc: Aria2RPC, access: Aria2Access) {
        self.rpc = rpc
        self.access = access
    }

    /// Responds to a request.
    ///
    /// Requests for a WebSocket are handled by the server, see `admits(_:)`.
    package func respond(to request: Request) async -> Response {
        guard request.path == Self.path else { return plain(404) }
        guard admits(request) else { return plain(403) }
        switch request.method {
        case "POST": return response(await rpc.response(request.body))
        case "GET":
            let query = request.target.dropFirst(request.path.count + 1)
            return response(await rpc.response(query: String(query)))
        case "OPTIONS": return preflight(request)
        default:
            var response = plain(405)
            response.headers.append(Header(name: "Allow", value: "GET, OPTIONS, POST"))
            return response
        }
    }

    /// Returns true if the host and the origin of a request are admitted.
    package func admits(_ request: Request) -> Bool { access.admits(host: request.host, origin: request.origin) }

    /// Returns true if a WebSocket opened by this request receives notifications before the client has sent the secret.
    package func notifiesAtOnce(_ request: Request) -> Bool {
        guard rpc.configuration.secret != nil else { return true }
        return rpc.configuration.notifiesStrangers && !access.isForeign(host: request.host, origin: request.origin)
    }

    private func response(_ reply: Aria2Reply) -> Response {
        let type = Header(name: "Content-Type", value: reply.contentType)
        return Response(
            status: reply.status, headers: [type] + origin, body: reply.body, closes: reply.closes)
    }

    private func plain(_ status: Int) -> Response {
        Response(status: status, headers: origin, body: [], closes: status != 200)
    }

    private var origin: [Header] {
        access.allowsAllOrigins ? [Header(name: "Access-Control-Allow-Origin", value: "*")] : []
    }

    /// Responds to a preflight request (Fetch standard, section 3.2, CORS protocol).
    private func preflight(_ request: Request) -> Response {
        var response = plain(200)
        guard access.allowsAllOrigins else { return response }
        response.headers.append(Header(name: "Access-Control-Allow-Methods", value: "POST, GET, OPTIONS"))
        response.headers.append(Header(name: "Access-Control-Max-Age", value: "1728000"))
        if let wanted = request.wantedHeaders, wanted.utf8.count <= 1000,
            wanted.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        {
            response.headers.append(Header(name: "Access-Control-Allow-Headers", value: wanted))
        }
        return response
    }
}

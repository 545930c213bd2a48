package import NIOHTTP1

/// The rules of HTTP for the head of every request.
package enum RequestHead {
    /// Validates a head, and converts its target to origin-form.
    ///
    /// A target with a scheme and a host, as sent to a proxy, must name the same host as the header `Host`; it becomes
    /// path and query. RFC 9112, sections 3.2 and 6.1.
    ///
    /// - Throws: `RequestFault` with 400 or 501.
    package static func checked(_ head: HTTPRequestHead) throws(RequestFault) -> HTTPRequestHead {
        guard head.headers["Host"].count < 2 else {
            throw RequestFault(400, "the request has several Host headers: send one")
        }
        for coding in head.headers["Transfer-Encoding"] where coding.lowercased() != "chunked" {
            throw RequestFault(501, "the only supported Transfer-Encoding is chunked")
        }
        guard head.headers["Transfer-Encoding"].count < 2 else {
            throw RequestFault(400, "the request has several Transfer-Encoding headers: send one")
        }
        guard let (host, target) = split(head.uri) else { return head }
        guard let own = head.headers.first(name: "Host"), own.lowercased() == host.lowercased() else {
            throw RequestFault(400, "the host of the URL differs from the Host header")
        }
        var head = head
        head.uri = target
        return head
    }

    /// Returns the host and the rest of a target with a scheme; nil for an ordinary one, which begins with a slash.
    private static func split(_ uri: String) -> (host: String, target: String)? {
        let lowered = uri.prefix(8).lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowered.hasPrefix) else { return nil }
        let rest = uri.dropFirst(scheme.count)
        let host = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(host.count)
        return (String(host), target.hasPrefix("/") ? String(target) : "/" + target)
    }

    /// Returns true if a request asks for a WebSocket (RFC 6455, section 4.1), whether valid or not.
    package static func asksForWebSocket(_ head: HTTPRequestHead) -> Bool {
        head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
    }

    /// Checks that a request for a WebSocket is valid (RFC 6455, section 4.2.1).
    ///
    /// - Throws: `RequestFault` with 400 or 426.
    package static func checkHandshake(_ head: HTTPRequestHead) throws(RequestFault) {
        let headers = head.headers
        guard head.method == .GET, head.version == .http1_1, !announcesBody(head),
            headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" }),
            headers[canonicalForm: "Sec-WebSocket-Key"].count == 1
        else { throw RequestFault(400, "the request for a WebSocket is not valid") }
        guard headers[canonicalForm: "Sec-WebSocket-Version"].elementsEqual(["13"]) else {
            // RFC 6455, section 4.4.
            throw RequestFault(
                426, "this server speaks version 13 of the WebSocket protocol",
                headers: [.init("Sec-WebSocket-Version", "13"), .init("Upgrade", "websocket")])
        }
    }

    private static func announcesBody(_ head: HTTPRequestHead) -> Bool {
        head.headers.contains(name: "Transfer-Encoding")
            || head.headers["Content-Length"].contains { Int($0) != 0 }
    }
}

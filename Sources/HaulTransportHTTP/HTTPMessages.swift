import AsyncHTTPClient
import HTTPTypes
import HaulTransport
import NIOHTTP1

extension HTTPClient.Request {
    /// The GET that a transfer asks for.
    ///
    /// All that it needs of the URL besides stands in headers, so a blank request serves for an origin: `blank` may keep it.
    ///
    /// A proxy's credentials stand in a request only where the proxy is whom it is sent to.
    ///
    /// - Throws: `TransportError` or `HTTPClientError` when the URL or a header can't be sent.
    init(
        _ request: TransferRequest, to target: RequestTarget, by route: Route, readLimit: UInt64? = nil,
        _ blank: (_ origin: String) throws -> HTTPClient.Request = { try HTTPClient.Request(url: $0) }
    ) throws {
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headers.count + 5)
        // `Host` is the transport's: AsyncHTTPClient adds it unless there is one.
        for field in request.headers
        where field.name.canonicalName != "host" && field.name.canonicalName != "proxy-authorization" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        switch route {
        case .direct, .socks:
            headers.add(name: RequestTarget.header, value: RequestTarget.carried(target.target, readLimit))
            self = try blank(target.origin)
        case .tunnel(let proxy, _):
            headers.add(name: "Host", value: target.authority)
            headers.add(name: RequestTarget.header, value: RequestTarget.carried(target.target, readLimit))
            self = try blank(proxy.origin)
        case .forward(let proxy):
            headers.add(name: "Host", value: target.authority)
            if let authorization = proxy.authorization {
                headers.add(name: "Proxy-Authorization", value: authorization)
            }
            headers.add(name: RequestTarget.header, value: RequestTarget.carried(target.absolute, readLimit))
            self = try blank(proxy.origin)
        }
        self.headers = headers
    }
}

extension HTTPResponse {
    /// The head of an answer.
    ///
    /// Fields with names that HTTPTypes doesn't take are left out.
    init(_ head: HTTPResponseHead) {
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(received: name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        // HTTPTypes takes three digits only (RFC 9110, 15), and so does the parser; the bounds keep a surprise from
        // being a trap.
        let code = min(999, max(0, Int(head.status.code)))
        self.init(status: Status(code: code, reasonPhrase: head.status.reasonPhrase), headerFields: fields)
    }
}

extension HTTPField.Name {
    /// Names as most servers write them: what is the same need not be checked and brought to small letters for each answer.
    private static let standard: [HTTPField.Name] = [
        .server, .date, .contentType, .contentLength, .lastModified, .connection, .eTag, .acceptRanges, .contentRange,
    ]

    /// The name of a field that a server has sent; nil where it is none.
    fileprivate init?(received name: String) {
        guard let standard = Self.standard.first(where: { $0.rawName == name }) ?? HTTPField.Name(name) else { return nil }
        self = standard
    }
}

extension HTTPResponseHead {
    /// The largest head that is accepted.
    static let largestSize = 1 << 20

    /// The bytes of a head on the wire, without optional white space.
    var approximateSize: Int {
        headers.reduce(into: status.reasonPhrase.utf8.count + 17) { size, field in
            size += field.name.utf8.count + field.value.utf8.count + 4
        }
    }
}

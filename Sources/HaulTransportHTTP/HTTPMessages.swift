import AsyncHTTPClient
import HTTPTypes
import HaulTransport
import NIOHTTP1

extension HTTPClient.Request {
    /// Creates the request of a transfer.
    ///
    /// Everything else that it needs of the URL is in headers, so one blank GET request serves for an origin, and `blank`
    /// may cache it.
    ///
    /// A proxy's credentials are included only if the request is sent to the proxy itself.
    ///
    /// - Parameter isAlone: True if the connection is for this request only.
    /// - Throws: `TransportError` or `HTTPClientError` if the URL or a header cannot be sent.
    init(
        _ request: TransferRequest, to target: RequestTarget, by route: Route, isAlone: Bool = false,
        readLimit: UInt64? = nil,
        _ blank: (_ origin: String) throws -> HTTPClient.Request = { try HTTPClient.Request(url: $0) }
    ) throws {
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headers.count + 5)
        // The transport sets `Host`: AsyncHTTPClient adds it unless it is present.
        for field in request.headers
        where field.name.canonicalName != "host" && field.name.canonicalName != "proxy-authorization" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        let origin: String
        switch route {
        case .direct, .socks:
            headers.add(name: RequestTarget.header, value: RequestTarget.carried(target.target, readLimit))
            origin = target.origin
        case .tunnel(let proxy, _):
            headers.add(name: "Host", value: target.authority)
            headers.add(name: RequestTarget.header, value: RequestTarget.carried(target.target, readLimit))
            origin = proxy.origin
        case .forward(let proxy):
            headers.add(name: "Host", value: target.authority)
            if let authorization = proxy.authorization {
                headers.add(name: "Proxy-Authorization", value: authorization)
            }
            headers.add(name: RequestTarget.header, value: RequestTarget.carried(target.absolute, readLimit))
            origin = proxy.origin
        }
        if isAlone { headers.replaceOrAdd(name: "Connection", value: "close") }
        if request.method == "GET", request.body == nil {
            self = try blank(origin)
        } else {
            self = try HTTPClient.Request(
                url: origin, method: HTTPMethod(rawValue: request.method), body: request.body.map { .bytes($0) })
        }
        self.headers = headers
    }
}

extension HTTPResponse {
    /// Creates a response from its head.
    ///
    /// Fields with names that HTTPTypes rejects are omitted.
    init(_ head: HTTPResponseHead) {
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(received: name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        // HTTPTypes accepts only three digits (RFC 9110, 15), and so does the parser; the bounds prevent a trap in case
        // of a surprise.
        let code = min(999, max(0, Int(head.status.code)))
        self.init(status: Status(code: code, reasonPhrase: head.status.reasonPhrase), headerFields: fields)
    }
}

extension HTTPField.Name {
    /// The names that most servers send, in the usual spelling: a match need not be validated and lowercased for each
    /// response.
    private static let standard: [HTTPField.Name] = [
        .server, .date, .contentType, .contentLength, .lastModified, .connection, .eTag, .acceptRanges, .contentRange,
    ]

    /// Creates the name of a field that a server has sent; nil if it is invalid.
    fileprivate init?(received name: String) {
        guard let standard = Self.standard.first(where: { $0.rawName == name }) ?? HTTPField.Name(name) else {
            return nil
        }
        self = standard
    }
}

extension HTTPResponseHead {
    /// The maximum size of a head.
    static let largestSize = 1 << 20

    /// True if the parser has read the transfer coding as it was meant.
    ///
    /// It takes the body for chunked only if `chunked` is the last word, so lists such as `chunked, identity`, or the same over two fields, would
    /// leave the sizes of the chunks in the file.
    var hasReadableTransferCoding: Bool {
        let fields = headers["transfer-encoding"].map { $0.lowercased() }
        guard !fields.isEmpty, fields != ["chunked"] else { return true }
        let codings = fields.joined(separator: ",").filter { $0 != " " && $0 != "\t" }.split(separator: ",")
        let isPlain = codings.allSatisfy { $0 == "chunked" || $0 == "identity" }
        // Other codings are not decoded at all, which is for `ResponseDecision` to judge.
        return !isPlain || !codings.contains("chunked")
    }

    /// The number of bytes of a head on the wire, without optional white space.
    var approximateSize: Int {
        headers.reduce(into: status.reasonPhrase.utf8.count + 17) { size, field in
            size += field.name.utf8.count + field.value.utf8.count + 4
        }
    }
}

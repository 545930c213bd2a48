import Foundation
import HTTPTypes
import HaulCore
import HaulTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// The timeouts of a session: a week, since the engine has its own.
    static let noTimeout: TimeInterval = 7 * 86_400

    /// Creates the request of a transfer.
    ///
    /// - Throws: `TransportError` with kind `badRequest` or `unusable`.
    init(_ request: TransferRequest) throws(TransportError) {
        guard let url = URL(string: request.url, encodingInvalidCharacters: false),
            ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false
        else { throw TransportError(.badRequest, "not an http or https URL") }
        if let problem = Self.unusable(request) { throw TransportError(.unusable, problem) }
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.noTimeout)
        httpMethod = request.method
        httpBody = request.body.map { Data($0) }
        httpShouldHandleCookies = false
        for field in request.headers where field.name.canonicalName != "host" {
            addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
    }

    /// Returns the part of a request that URLSession does not support, or nil.
    private static func unusable(_ request: TransferRequest) -> String? {
        if request.proxy != nil { return "URLSession uses the proxies of the system's settings, and no other" }
        if request.clientCertificate != nil { return "URLSession can't use a client certificate in a file" }
        if request.localAddress != nil { return "URLSession can't send from a given address" }
        if request.publicAddressesOnly { return "URLSession can't be restricted to public addresses" }
        if request.keepsContentCoding { return "URLSession decodes compressed responses, and can't save them as sent" }
        #if canImport(FoundationNetworking)
            if request.insecure { return "FoundationNetworking can't accept an unverified certificate" }
            if request.authentication != nil { return "FoundationNetworking has no logins" }
        #endif
        return nil
    }
}

extension HTTPURLResponse {
    /// The maximum size of a head.
    static let largestHead = 1 << 20

    /// The number of bytes of the head on the wire, roughly.
    var headBytes: Int {
        allHeaderFields.reduce(17) { $0 + "\($1.key)".utf8.count + "\($1.value)".utf8.count + 4 }
    }
}

extension HTTPResponse {
    /// The fields that describe the bytes as they were sent.
    private static let ofEncodedBytes: Set<String> = [
        "content-encoding", "content-length", "etag", "content-md5", "digest", "repr-digest", "accept-ranges",
    ]
    /// The content codings that URLSession decodes.
    private static let decoded: Set<String> = ["gzip", "x-gzip", "deflate", "br"]

    /// Creates a response from Foundation's.
    ///
    /// Of a body that Foundation decodes, the size and the validators are dropped, and no part of it can be requested.
    /// Fields of the same name have become one, except cookies, which are taken apart.
    init(_ response: HTTPURLResponse) {
        var values: [(name: HTTPField.Name, value: String)] = []
        for case let (name as String, value as String) in response.allHeaderFields {
            guard let name = HTTPField.Name(name) else { continue }
            if name == .setCookie {
                values += Self.cookies(value, of: response).map { (name, $0) }
            } else {
                values.append((name, value))
            }
        }
        let coding = values.first { $0.name == .contentEncoding }?.value.lowercased()
        if let coding, Self.decoded.contains(coding), [200, 203].contains(response.statusCode) {
            values.removeAll { Self.ofEncodedBytes.contains($0.name.canonicalName) }
            values.append((.acceptRanges, "none"))
        }
        var fields = HTTPFields()
        for (name, value) in values { fields.append(HTTPField(name: name, value: value)) }
        self.init(status: Status(code: min(999, max(0, response.statusCode))), headerFields: fields)
    }

    /// Returns the cookies of a joined field, each as a field of its own.
    private static func cookies(_ value: String, of response: HTTPURLResponse) -> [String] {
        guard let url = response.url else { return [] }
        return HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url).map { cookie in
            var text = "\(cookie.name)=\(cookie.value); Path=\(cookie.path)"
            if cookie.domain.hasPrefix(".") { text += "; Domain=\(cookie.domain)" }
            if let expires = cookie.expiresDate {
                text += "; Max-Age=\(Int(expires.timeIntervalSinceNow.rounded()))"
            }
            return text + (cookie.isSecure ? "; Secure" : "")
        }
    }
}

extension TransportError {
    /// Creates an error from a session's.
    init(_ error: any Error) {
        guard let error = error as? URLError else {
            self.init(.other, "\(error)")
            return
        }
        let detail = error.localizedDescription
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed: self.init(.nameNotResolved, detail)
        case .cannotConnectToHost: self.init(.refused, Self.refusal)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            self.init(.refused, detail, .noNetwork)
        case .timedOut: self.init(.connectTimedOut, "no response in time")
        case .networkConnectionLost: self.init(.cut, detail)
        // The URL was checked before: FoundationNetworking reports a response without a head as an unsupported one.
        case .badServerResponse, .cannotParseResponse, .httpTooManyRedirects, .badURL, .unsupportedURL:
            self.init(.badResponse, detail)
        case .cannotDecodeContentData, .cannotDecodeRawData: self.init(.undecodable, detail)
        case .secureConnectionFailed, .clientCertificateRejected: self.init(.tls, detail)
        case .clientCertificateRequired: self.init(.tls, "requires a client certificate", .clientCertificateMissing)
        case .serverCertificateHasBadDate: self.init(.untrusted, "has expired or is not valid yet", .certificateExpired)
        case .serverCertificateHasUnknownRoot:
            self.init(.untrusted, "is from an untrusted authority", .certificateAuthorityUnknown)
        case .serverCertificateUntrusted: self.init(.untrusted, "is not trusted")
        case .serverCertificateNotYetValid: self.init(.untrusted, "is not valid yet", .certificateNotYetValid)
        case _: self.init(.other, detail)
        }
    }
}

package import HTTPTypes
package import HaulCore
import HaulWire
package import HummingbirdCore
import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Response {
    /// Returns a response with bytes.
    package static func bytes(_ bytes: some Collection<UInt8>, type: String, status: HTTPResponse.Status = .ok)
        -> Response
    {
        Response(
            status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Returns a response with a message.
    ///
    /// - Throws: `DownloadError` with code `internal` for a number that JSON can't represent.
    package static func message(
        _ message: some Encodable, status: HTTPResponse.Status = .ok
    ) throws(DownloadError) -> Response {
        .bytes(try WireJSON.encode(message), type: "application/json", status: status)
    }

    /// Returns the response to a failed request.
    package static func failure(_ error: any Error) -> Response {
        let refusal =
            switch error {
            case let error as Refusal: error
            case let error as DownloadError: Refusal(error)
            case is CancellationError:
                Refusal(.serviceUnavailable, DownloadError(.cancelled, "the daemon is shutting down"))
            case _: Refusal(DownloadError(.internal, "the request failed; this is a bug in Haul", cause: "\(error)"))
            }
        let body = (try? WireJSON.encode(refusal.error)) ?? Data()
        var response = Response.bytes(body, type: "application/json", status: refusal.status)
        // RFC 9110, section 11.6.1: a 401 names a scheme.
        if refusal.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        // RFC 9110, section 15.5.6: a 405 names the methods.
        if !refusal.methods.isEmpty {
            response.headers[.allow] = refusal.methods.map(\.rawValue).joined(separator: ", ")
        }
        return response
    }

    /// Returns the response with security headers for browsers.
    package func hardened() -> Response {
        var response = self
        response.headers[.contentSecurityPolicy] =
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
        response.headers[.xContentTypeOptions] = "nosniff"
        for (name, value) in Self.fixed { if let name = HTTPField.Name(name) { response.headers[name] = value } }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }

    private static let fixed = [
        ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
}

/// The body of a 400 Bad Request response: the only place where servers say that they expect TLS or a client
/// certificate.
package enum ErrorPage {
    /// The maximum number of bytes that are read.
    package static let limit = 2 << 10

    /// Returns true if the body of a response is worth reading.
    package static func isInformative(_ decision: ResponseDecision, status: Int) -> Bool {
        if case .refuse = decision { status == 400 } else { false }
    }

    /// Returns the decision about a response, with the reason that its body states, if it is known.
    package static func read(_ page: [UInt8], _ decision: ResponseDecision) -> ResponseDecision {
        let text = String(decoding: page.prefix(limit), as: UTF8.self).lowercased()
        guard case .refuse(let error) = decision,
            let (_, words, detail) = phrases.first(where: { text.contains($0.phrase) })
        else { return decision }
        return .refuse(DownloadError(error.code, words, cause: "it returned \(statusLine(400))", detail: detail))
    }

    private static let phrases: [(phrase: String, words: String, detail: DownloadError.Detail)] = [
        // nginx, Apache, and servers written in Go.
        ("plain http request was sent to https port", "the server expects TLS at this port", .serverWithTLS),
        ("plain http to an ssl-enabled server port", "the server expects TLS at this port", .serverWithTLS),
        ("http request to an https server", "the server expects TLS at this port", .serverWithTLS),
        // nginx.
        ("no required ssl certificate was sent", "the server requires a client certificate", .clientCertificateMissing),
        ("the ssl certificate error", "the server refused the client certificate", .clientCertificateRefused),
    ]
}

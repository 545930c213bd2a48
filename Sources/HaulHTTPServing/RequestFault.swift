package import NIOHTTP1

/// A request that is answered before any handler sees it, because it breaks HTTP or a limit, or may not pass.
///
/// The connection closes after the answer: where the next request would begin is unknown.
package struct RequestFault: Error, Hashable, Sendable {
    /// The status of the answer.
    package let status: Int
    /// The reason, for people.
    package let message: String
    /// Further headers of the answer.
    package var headers: [Header]

    /// One header line.
    package struct Header: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String

        /// Makes a header.
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Makes a fault.
    package init(_ status: Int, _ message: String, headers: [Header] = []) {
        (self.status, self.message, self.headers) = (status, message, headers)
    }

    /// Returns the answer to what the parser rejects.
    ///
    /// RFC 9112, section 2.2: a server should answer 400 to what is not a request and close. RFC 6585, section 5: 431 for headers.
    package init(_ error: HTTPParserError) {
        self =
            switch error {
            case .headerOverflow:
                Self(431, "the request's headers are too many or too large")
            case .invalidVersion:
                // A bare LF behind the version is one, too.
                Self(400, "the request is not of HTTP/1.1 or HTTP/1.0, or its lines do not end with CR LF")
            case .invalidMethod:
                Self(400, "this is not an HTTP/1.1 request: the server speaks plain HTTP, without TLS")
            case .invalidContentLength:
                Self(400, "the Content-Length is not a valid number")
            case .unexpectedContentLength:
                Self(400, "send one Content-Length, or a Transfer-Encoding, but not both")
            case .invalidChunkSize:
                Self(400, "the chunks of the request's body are broken")
            default:
                Self(400, "the request is not valid HTTP/1.1")
            }
    }
}

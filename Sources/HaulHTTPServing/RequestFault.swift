package import NIOHTTP1

/// A request that is answered before any handler receives it, because it violates HTTP or a limit, or is forbidden.
///
/// The connection is closed after the response, because the start of the next request is unknown.
package struct RequestFault: Error, Hashable, Sendable {
    /// The status of the response.
    package let status: Int
    /// The reason, for people.
    package let message: String
    /// Additional headers of the response.
    package var headers: [Header]

    /// A header line.
    package struct Header: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String

        /// Creates a header.
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// Creates a fault.
    package init(_ status: Int, _ message: String, headers: [Header] = []) {
        (self.status, self.message, self.headers) = (status, message, headers)
    }

    /// Creates the fault for an error of the parser.
    ///
    /// RFC 9112, section 2.2: a server should respond with 400 to anything that is not a request, and close. RFC 6585,
    /// section 5: 431 for headers.
    package init(_ error: HTTPParserError) {
        self =
            switch error {
            case .headerOverflow:
                Self(431, "too many or too large headers")
            case .invalidVersion:
                // A bare LF after the version is reported like this as well.
                Self(400, "the request is not HTTP/1.1 or HTTP/1.0, or its lines do not end with CR LF")
            case .invalidMethod:
                Self(400, "this is not an HTTP/1.1 request: the server speaks plain HTTP, without TLS")
            case .invalidContentLength:
                Self(400, "the Content-Length is not a valid number")
            case .unexpectedContentLength:
                Self(400, "send one Content-Length, or a Transfer-Encoding, but not both")
            case .invalidChunkSize:
                Self(400, "the chunks of the request's body are malformed")
            default:
                Self(400, "the request is not valid HTTP/1.1")
            }
    }
}

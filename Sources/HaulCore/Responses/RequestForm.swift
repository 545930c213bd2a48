/// The method of a request, and the presence of the download's body in it.
package struct RequestForm: Hashable, Sendable {
    /// The method.
    package var method: String
    /// True if the request has the download's body.
    package var hasBody: Bool

    /// Creates a form.
    package init(method: String = "GET", hasBody: Bool = false) {
        self.method = method
        self.hasBody = hasBody
    }

    /// True for a plain GET: only that can be sent over several connections, with ranges, and again at any time.
    package var isGet: Bool { method == "GET" && !hasBody }

    /// True if the server does the same however often it gets the request (RFC 9110, section 9.2.2, and the registry of
    /// methods).
    package var isIdempotent: Bool { Self.idempotent.contains(method) }

    private static let idempotent: Set<String> = [
        "GET", "PUT", "DELETE", "OPTIONS", "PROPFIND", "REPORT", "SEARCH", "QUERY",
    ]

    /// Returns the form of the request to the target of a redirect.
    ///
    /// As browsers and curl do: after 303, and after 301 and 302 to POST, it is a GET without a body; after any other
    /// redirect, method and body remain (RFC 9110, section 15.4; Fetch Standard, section 4.4).
    package func following(_ status: Int) -> RequestForm {
        switch (status, method) {
        case (301, "POST"), (302, "POST"), (303, _): RequestForm()
        case _: self
        }
    }
}

/// Faults of the head.
extension ServerScript {
    /// Sends another ETag than the resource's, or none; If-Range is compared with this one.
    public func etag(_ etag: String?) -> Self { with { $0.head.etag = etag.map { .text($0) } ?? .absent } }

    /// Returns 206 regardless of If-Range.
    public func ignoringIfRange() -> Self { with { $0.head.ignoresIfRange = true } }

    /// Returns 200 with the whole content if the request has If-Range, even if it holds.
    public func refusingIfRange() -> Self { with { $0.head.refusesIfRange = true } }

    /// Sends a header with this value, replacing the one of that name.
    public func header(_ name: String, _ value: String) -> Self {
        with { $0.head.set.append(HeaderLine(name, value)) }
    }

    /// Leaves a header out.
    public func withoutHeader(_ name: String) -> Self { with { $0.head.removed.append(name) } }

    /// Sends a wrong Content-Range, if there is one; the body is correct.
    public func contentRange(_ fault: ContentRangeFault) -> Self { with { $0.head.contentRange = fault } }

    /// Sends another Content-Length, regardless of the body; nil leaves it out.
    public func contentLength(_ text: String?) -> Self {
        with { $0.head.contentLength = text.map { .text($0) } ?? .absent }
    }

    /// Sends additional header lines of a total size.
    public func headerFlood(_ bytes: Int) -> Self { with { $0.head.flood = bytes } }

    /// Sends an interim response (100, 102 or 103) before the final one.
    public func interim(_ code: Int, _ headers: KeyValuePairs<String, String> = [:]) -> Self {
        with { script in
            let lines = headers.map { HeaderLine($0.key, $0.value) }
            script.head.interim.append(StatusLine.head(code, lines))
        }
    }

    /// Announces the end of the connection, and closes it after this response.
    public func closing() -> Self { with { $0.head.closes = true } }
}

/// The same faults as starting points.
extension ServerScript {
    /// See the method of that name.
    public static func etag(_ etag: String?) -> Self { normal.etag(etag) }
    /// See the method of that name.
    public static func ignoringIfRange() -> Self { normal.ignoringIfRange() }
    /// See the method of that name.
    public static func refusingIfRange() -> Self { normal.refusingIfRange() }
    /// See the method of that name.
    public static func header(_ name: String, _ value: String) -> Self { normal.header(name, value) }
    /// See the method of that name.
    public static func withoutHeader(_ name: String) -> Self { normal.withoutHeader(name) }
    /// See the method of that name.
    public static func contentRange(_ fault: ContentRangeFault) -> Self { normal.contentRange(fault) }
    /// See the method of that name.
    public static func contentLength(_ text: String?) -> Self { normal.contentLength(text) }
    /// See the method of that name.
    public static func headerFlood(_ bytes: Int) -> Self { normal.headerFlood(bytes) }
    /// See the method of that name.
    public static func interim(_ code: Int, _ headers: KeyValuePairs<String, String> = [:]) -> Self {
        normal.interim(code, headers)
    }
    /// See the method of that name.
    public static func closing() -> Self { normal.closing() }
}

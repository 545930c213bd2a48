/// Faults of the head.
extension ServerScript {
    /// Another ETag than the resource's, or none; If-Range is compared with this one.
    package func etag(_ etag: String?) -> Self { with { $0.head.etag = etag.map { .text($0) } ?? .absent } }

    /// Sends 206 whatever If-Range says.
    package func ignoringIfRange() -> Self { with { $0.head.ignoresIfRange = true } }

    /// Sends 200 with everything where If-Range is sent, also where it holds.
    package func refusingIfRange() -> Self { with { $0.head.refusesIfRange = true } }

    /// A header with this value, in place of the one of that name.
    package func header(_ name: String, _ value: String) -> Self {
        with { $0.head.set.append(HeaderLine(name, value)) }
    }

    /// Leaves a header out.
    package func withoutHeader(_ name: String) -> Self { with { $0.head.removed.append(name) } }

    /// A lie in Content-Range, where there is one; the body is the right one.
    package func contentRange(_ fault: ContentRangeFault) -> Self { with { $0.head.contentRange = fault } }

    /// Another Content-Length, whatever the body is; nothing leaves it out.
    package func contentLength(_ text: String?) -> Self {
        with { $0.head.contentLength = text.map { .text($0) } ?? .absent }
    }

    /// So many bytes of additional header lines.
    package func headerFlood(_ bytes: Int) -> Self { with { $0.head.flood = bytes } }

    /// An interim answer (100, 102 or 103) before the real one.
    package func interim(_ code: Int, _ headers: KeyValuePairs<String, String> = [:]) -> Self {
        with { script in
            let lines = headers.map { HeaderLine($0.key, $0.value) }
            script.head.interim.append(StatusLine.head(code, lines))
        }
    }

    /// Announces and does the end of the connection after this answer.
    package func closing() -> Self { with { $0.head.closes = true } }
}

/// The same, to begin with.
extension ServerScript {
    /// See the method of that name.
    package static func etag(_ etag: String?) -> Self { normal.etag(etag) }
    /// See the method of that name.
    package static func ignoringIfRange() -> Self { normal.ignoringIfRange() }
    /// See the method of that name.
    package static func refusingIfRange() -> Self { normal.refusingIfRange() }
    /// See the method of that name.
    package static func header(_ name: String, _ value: String) -> Self { normal.header(name, value) }
    /// See the method of that name.
    package static func withoutHeader(_ name: String) -> Self { normal.withoutHeader(name) }
    /// See the method of that name.
    package static func contentRange(_ fault: ContentRangeFault) -> Self { normal.contentRange(fault) }
    /// See the method of that name.
    package static func contentLength(_ text: String?) -> Self { normal.contentLength(text) }
    /// See the method of that name.
    package static func headerFlood(_ bytes: Int) -> Self { normal.headerFlood(bytes) }
    /// See the method of that name.
    package static func interim(_ code: Int, _ headers: KeyValuePairs<String, String> = [:]) -> Self {
        normal.interim(code, headers)
    }
    /// See the method of that name.
    package static func closing() -> Self { normal.closing() }
}

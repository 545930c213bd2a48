/// Responses other than the correct one.
extension ServerScript {
    /// Returns 200 with the whole content, regardless of the requested range.
    public func ignoringRange() -> Self { with { $0.kind = .whole } }

    /// Returns 200 with only the bytes of the requested range, and their number as Content-Length.
    public func partCalledWhole() -> Self { with { $0.kind = .partCalledWhole } }

    /// Returns 206 with at most `count` bytes of the requested range, and a correct Content-Range.
    public func partial(atMost count: Int64) -> Self { with { $0.kind = .atMost(count) } }

    /// Returns 206 with the requested range moved by `distance` bytes, and a correct Content-Range.
    public func rangeMoved(by distance: Int64) -> Self { with { $0.kind = .moved(distance) } }

    /// Returns 206 as multipart/byteranges, with a part for every requested range, or one part with the whole content.
    public func multipart() -> Self { with { $0.kind = .multipart } }

    /// Returns a status with headers and a short text, or the given body.
    public func status(_ code: Int, _ headers: KeyValuePairs<String, String> = [:], body: String? = nil) -> Self {
        with { script in
            script.kind = .status(code, Array((body ?? "\(code) \(StatusLine.reason(code))\n").utf8))
            script.head.set += headers.map { HeaderLine($0.key, $0.value) }
        }
    }

    /// Redirects to a location.
    public func redirect(to location: String, status code: Int = 302) -> Self { status(code, ["Location": location]) }

    /// Sends these bytes instead of a response, then ends the connection.
    public func garbage(_ bytes: [UInt8]) -> Self { raw(bytes, closes: true) }

    /// Sends these bytes as the whole response, head and body; then the connection ends, or waits for the next request.
    public func raw(_ bytes: [UInt8], closes: Bool) -> Self { with { $0.kind = .raw(bytes, closes: closes) } }

    /// Ends the connection with FIN, instead of a response.
    public func emptyReply() -> Self { with { $0.breaks.append(Break(place: .beforeHead, act: .cut)) } }

    /// Sends the response for another resource: the file has changed, but only for this request.
    public func serving(_ resource: Resource) -> Self { with { $0.resource = resource } }
}

/// The same responses as starting points.
extension ServerScript {
    /// See the method of that name.
    public static func ignoringRange() -> Self { normal.ignoringRange() }
    /// See the method of that name.
    public static func partCalledWhole() -> Self { normal.partCalledWhole() }
    /// See the method of that name.
    public static func partial(atMost count: Int64) -> Self { normal.partial(atMost: count) }
    /// See the method of that name.
    public static func rangeMoved(by distance: Int64) -> Self { normal.rangeMoved(by: distance) }
    /// See the method of that name.
    public static func multipart() -> Self { normal.multipart() }
    /// See the method of that name.
    public static func status(_ code: Int, _ headers: KeyValuePairs<String, String> = [:], body: String? = nil) -> Self
    {
        normal.status(code, headers, body: body)
    }
    /// See the method of that name.
    public static func redirect(to location: String, status code: Int = 302) -> Self {
        normal.redirect(to: location, status: code)
    }
    /// See the method of that name.
    public static func garbage(_ bytes: [UInt8]) -> Self { normal.garbage(bytes) }
    /// See the method of that name.
    public static func raw(_ bytes: [UInt8], closes: Bool) -> Self { normal.raw(bytes, closes: closes) }
    /// See the method of that name.
    public static func emptyReply() -> Self { normal.emptyReply() }
    /// See the method of that name.
    public static func serving(_ resource: Resource) -> Self { normal.serving(resource) }
}

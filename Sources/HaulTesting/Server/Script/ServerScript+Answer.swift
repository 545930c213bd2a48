/// Another answer than the right one.
extension ServerScript {
    /// 200 with everything, whatever range is asked for.
    package func ignoringRange() -> Self { with { $0.kind = .whole } }

    /// 200 with only the bytes of the range that was asked for, and their number as Content-Length.
    package func partCalledWhole() -> Self { with { $0.kind = .partCalledWhole } }

    /// 206 with at most so many bytes of the range that was asked for, and an honest Content-Range.
    package func partial(atMost count: Int64) -> Self { with { $0.kind = .atMost(count) } }

    /// 206 with another range, moved by so many bytes from the one asked for, and an honest Content-Range.
    package func rangeMoved(by distance: Int64) -> Self { with { $0.kind = .moved(distance) } }

    /// 206 as multipart/byteranges, for every range asked for, or one part with everything.
    package func multipart() -> Self { with { $0.kind = .multipart } }

    /// A status with headers and a short text, or a body of one's own.
    package func status(_ code: Int, _ headers: KeyValuePairs<String, String> = [:], body: String? = nil) -> Self {
        with { script in
            script.kind = .status(code, Array((body ?? "\(code) \(StatusLine.reason(code))\n").utf8))
            script.head.set += headers.map { HeaderLine($0.key, $0.value) }
        }
    }

    /// A redirect to anywhere.
    package func redirect(to location: String, status code: Int = 302) -> Self { status(code, ["Location": location]) }

    /// These bytes instead of an answer, then the end of the connection.
    package func garbage(_ bytes: [UInt8]) -> Self { raw(bytes, closes: true) }

    /// These bytes as the whole response, head and body; then the connection ends, or waits for the next request.
    package func raw(_ bytes: [UInt8], closes: Bool) -> Self { with { $0.kind = .raw(bytes, closes: closes) } }

    /// The end of the connection, by FIN, instead of an answer.
    package func emptyReply() -> Self { with { $0.breaks.append(Break(place: .beforeHead, act: .cut)) } }

    /// The answer that another resource would give: the file has changed, but only for this request.
    package func serving(_ resource: Resource) -> Self { with { $0.resource = resource } }
}

/// The same, to begin with.
extension ServerScript {
    /// See the method of that name.
    package static func ignoringRange() -> Self { normal.ignoringRange() }
    /// See the method of that name.
    package static func partCalledWhole() -> Self { normal.partCalledWhole() }
    /// See the method of that name.
    package static func partial(atMost count: Int64) -> Self { normal.partial(atMost: count) }
    /// See the method of that name.
    package static func rangeMoved(by distance: Int64) -> Self { normal.rangeMoved(by: distance) }
    /// See the method of that name.
    package static func multipart() -> Self { normal.multipart() }
    /// See the method of that name.
    package static func status(_ code: Int, _ headers: KeyValuePairs<String, String> = [:], body: String? = nil) -> Self
    {
        normal.status(code, headers, body: body)
    }
    /// See the method of that name.
    package static func redirect(to location: String, status code: Int = 302) -> Self {
        normal.redirect(to: location, status: code)
    }
    /// See the method of that name.
    package static func garbage(_ bytes: [UInt8]) -> Self { normal.garbage(bytes) }
    /// See the method of that name.
    package static func raw(_ bytes: [UInt8], closes: Bool) -> Self { normal.raw(bytes, closes: closes) }
    /// See the method of that name.
    package static func emptyReply() -> Self { normal.emptyReply() }
    /// See the method of that name.
    package static func serving(_ resource: Resource) -> Self { normal.serving(resource) }
}

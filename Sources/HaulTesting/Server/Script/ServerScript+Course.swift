/// Breaks and pace while a response is sent.
extension ServerScript {
    /// Ends the connection with FIN after `count` body bytes, or right after the head for 0; a shorter body is sent
    /// completely.
    public func cut(after count: Int64) -> Self { breaking(.body(count), .cut) }

    /// Ends the connection with FIN within the head, after `count` of its bytes.
    public func cutInHead(after count: Int) -> Self { breaking(.inHead(count), .cut) }

    /// Resets the connection (RST) after `count` body bytes have arrived; before the head if nil.
    public func reset(after count: Int64? = nil) -> Self { breaking(count.map { .body($0) } ?? .beforeHead, .reset) }

    /// Stops sending after `count` body bytes: for a while, or until the server stops or the client leaves.
    public func stall(after count: Int64, for duration: Duration? = nil) -> Self {
        breaking(.body(count), .stall(duration))
    }

    /// Sends nothing, not even the head, until the server stops or the client leaves.
    public func silence() -> Self { breaking(.beforeHead, .stall(nil)) }

    /// Waits before the first byte of the response.
    public func delay(_ duration: Duration) -> Self { with { $0.pace.delay = duration } }

    /// Sends the body at a rate, in about twenty slices a second.
    public func throttle(_ bytesPerSecond: Int64) -> Self { with { $0.pace.bytesPerSecond = max(1, bytesPerSecond) } }

    /// Sends the head byte by byte, with a pause before each byte.
    public func slowHead(_ pause: Duration) -> Self { with { $0.pace.perHeadByte = pause } }

    private func breaking(_ place: Break.Place, _ act: Break.Act) -> Self {
        with { $0.breaks.append(Break(place: place, act: act)) }
    }
}

/// The same faults as starting points.
extension ServerScript {
    /// See the method of that name.
    public static func cut(after count: Int64) -> Self { normal.cut(after: count) }
    /// See the method of that name.
    public static func cutInHead(after count: Int) -> Self { normal.cutInHead(after: count) }
    /// See the method of that name.
    public static func reset(after count: Int64? = nil) -> Self { normal.reset(after: count) }
    /// See the method of that name.
    public static func stall(after count: Int64, for duration: Duration? = nil) -> Self {
        normal.stall(after: count, for: duration)
    }
    /// See the method of that name.
    public static func silence() -> Self { normal.silence() }
    /// See the method of that name.
    public static func delay(_ duration: Duration) -> Self { normal.delay(duration) }
    /// See the method of that name.
    public static func throttle(_ bytesPerSecond: Int64) -> Self { normal.throttle(bytesPerSecond) }
    /// See the method of that name.
    public static func slowHead(_ pause: Duration) -> Self { normal.slowHead(pause) }
}

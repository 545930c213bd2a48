/// Breaks and pace: what happens in the course of an answer.
extension ServerScript {
    /// Ends the connection by FIN after so many body bytes, 0 being right behind the head; a shorter body comes whole.
    package func cut(after count: Int64) -> Self { breaking(.body(count), .cut) }

    /// Ends the connection by FIN within the head, after so many of its bytes.
    package func cutInHead(after count: Int) -> Self { breaking(.inHead(count), .cut) }

    /// Resets the connection (RST) after so many body bytes have arrived; without a number before the head.
    package func reset(after count: Int64? = nil) -> Self { breaking(count.map { .body($0) } ?? .beforeHead, .reset) }

    /// Falls silent after so many body bytes: for a while, or until the server stops or the client leaves.
    package func stall(after count: Int64, for duration: Duration? = nil) -> Self {
        breaking(.body(count), .stall(duration))
    }

    /// Falls silent before the head: for ever, that is until the server stops or the client leaves.
    package func silence() -> Self { breaking(.beforeHead, .stall(nil)) }

    /// Waits before the first byte of the answer.
    package func delay(_ duration: Duration) -> Self { with { $0.pace.delay = duration } }

    /// Sends the body at so many bytes a second, in about twenty slices a second.
    package func throttle(_ bytesPerSecond: Int64) -> Self { with { $0.pace.bytesPerSecond = max(1, bytesPerSecond) } }

    /// Sends the head byte by byte, with such a pause before each.
    package func slowHead(_ pause: Duration) -> Self { with { $0.pace.perHeadByte = pause } }

    private func breaking(_ place: Break.Place, _ act: Break.Act) -> Self {
        with { $0.breaks.append(Break(place: place, act: act)) }
    }
}

/// The same, to begin with.
extension ServerScript {
    /// See the method of that name.
    package static func cut(after count: Int64) -> Self { normal.cut(after: count) }
    /// See the method of that name.
    package static func cutInHead(after count: Int) -> Self { normal.cutInHead(after: count) }
    /// See the method of that name.
    package static func reset(after count: Int64? = nil) -> Self { normal.reset(after: count) }
    /// See the method of that name.
    package static func stall(after count: Int64, for duration: Duration? = nil) -> Self {
        normal.stall(after: count, for: duration)
    }
    /// See the method of that name.
    package static func silence() -> Self { normal.silence() }
    /// See the method of that name.
    package static func delay(_ duration: Duration) -> Self { normal.delay(duration) }
    /// See the method of that name.
    package static func throttle(_ bytesPerSecond: Int64) -> Self { normal.throttle(bytesPerSecond) }
    /// See the method of that name.
    package static func slowHead(_ pause: Duration) -> Self { normal.slowHead(pause) }
}

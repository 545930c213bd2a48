/// Faults of the body and of its framing.
extension ServerScript {
    /// Sends a correct head, but the bytes `distance` further on in the file.
    public func contentShifted(by distance: Int64) -> Self { with { $0.body.shift = distance } }

    /// Flips the bits of the byte at this offset of the file.
    public func flipped(at offset: Int64) -> Self { with { $0.body.flips.append(offset) } }

    /// Sends `count` bytes fewer than announced, then FIN.
    public func bodyShorter(by count: Int64) -> Self { with { $0.body.missing = count } }

    /// Sends `count` bytes more than announced; the connection stays open.
    public func bodyLonger(by count: Int64) -> Self { with { $0.body.surplus = count } }

    /// Sends a body that never ends.
    ///
    /// It has no length by default; with `.length` the announced length is correct.
    public func endless(_ framing: Framing = .untilClose) -> Self {
        with { script in
            script.body.isEndless = true
            script.framing = framing
        }
    }

    /// Sends Content-Encoding: gzip, even if it was not requested; the body is a valid gzip of the correct bytes.
    public func gzipped() -> Self { with { $0.body.isGzipped = true } }

    /// Sends chunks of at most `size` bytes, with or without a fault.
    public func chunked(size: Int = 8192, _ fault: ChunkFault? = nil) -> Self {
        with { $0.framing = .chunked(size: max(1, size), fault: fault) }
    }

    /// Sends no length: the body ends with the connection.
    public func withoutLength() -> Self { with { $0.framing = .untilClose } }
}

/// The same faults as starting points.
extension ServerScript {
    /// See the method of that name.
    public static func contentShifted(by distance: Int64) -> Self { normal.contentShifted(by: distance) }
    /// See the method of that name.
    public static func flipped(at offset: Int64) -> Self { normal.flipped(at: offset) }
    /// See the method of that name.
    public static func bodyShorter(by count: Int64) -> Self { normal.bodyShorter(by: count) }
    /// See the method of that name.
    public static func bodyLonger(by count: Int64) -> Self { normal.bodyLonger(by: count) }
    /// See the method of that name.
    public static func endless(_ framing: Framing = .untilClose) -> Self { normal.endless(framing) }
    /// See the method of that name.
    public static func gzipped() -> Self { normal.gzipped() }
    /// See the method of that name.
    public static func chunked(size: Int = 8192, _ fault: ChunkFault? = nil) -> Self {
        normal.chunked(size: size, fault)
    }
    /// See the method of that name.
    public static func withoutLength() -> Self { normal.withoutLength() }
}

/// Faults of the body and of its framing.
extension ServerScript {
    /// The head is right, but the bytes are those that stand so much further on in the file.
    package func contentShifted(by distance: Int64) -> Self { with { $0.body.shift = distance } }

    /// The bits of the byte at this offset of the file are turned.
    package func flipped(at offset: Int64) -> Self { with { $0.body.flips.append(offset) } }

    /// So many bytes fewer than announced, then FIN.
    package func bodyShorter(by count: Int64) -> Self { with { $0.body.missing = count } }

    /// So many bytes more than announced; the connection stays open.
    package func bodyLonger(by count: Int64) -> Self { with { $0.body.surplus = count } }

    /// A body that never ends.
    ///
    /// It has no length, unless another framing is asked for: with `.length` the length is right.
    package func endless(_ framing: Framing = .untilClose) -> Self {
        with { script in
            script.body.isEndless = true
            script.framing = framing
        }
    }

    /// Content-Encoding: gzip, whatever was asked for; the body is a well-formed gzip of the right bytes.
    package func gzipped() -> Self { with { $0.body.isGzipped = true } }

    /// Chunks of at most so many bytes, in order or not.
    package func chunked(size: Int = 8192, _ fault: ChunkFault? = nil) -> Self {
        with { $0.framing = .chunked(size: max(1, size), fault: fault) }
    }

    /// No length: the body ends with the connection.
    package func withoutLength() -> Self { with { $0.framing = .untilClose } }
}

/// The same, to begin with.
extension ServerScript {
    /// See the method of that name.
    package static func contentShifted(by distance: Int64) -> Self { normal.contentShifted(by: distance) }
    /// See the method of that name.
    package static func flipped(at offset: Int64) -> Self { normal.flipped(at: offset) }
    /// See the method of that name.
    package static func bodyShorter(by count: Int64) -> Self { normal.bodyShorter(by: count) }
    /// See the method of that name.
    package static func bodyLonger(by count: Int64) -> Self { normal.bodyLonger(by: count) }
    /// See the method of that name.
    package static func endless(_ framing: Framing = .untilClose) -> Self { normal.endless(framing) }
    /// See the method of that name.
    package static func gzipped() -> Self { normal.gzipped() }
    /// See the method of that name.
    package static func chunked(size: Int = 8192, _ fault: ChunkFault? = nil) -> Self {
        normal.chunked(size: size, fault)
    }
    /// See the method of that name.
    package static func withoutLength() -> Self { normal.withoutLength() }
}

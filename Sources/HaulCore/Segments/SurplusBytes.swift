/// Bytes that a response had beyond the end of its segment, although another one has delivered them.
///
/// If the two differ, one of the responses was wrong: a proxy that lost a part of a response, for example, may send the
/// rest of it too early.
package struct SurplusBytes: Sendable {
    /// The first of these bytes of one response.
    package struct Entry: Hashable, Sendable {
        /// The offset of the first byte.
        package let offset: Int64
        /// The bytes, at most `SurplusBytes.bytesKept`.
        package let bytes: [UInt8]

        /// The range of the bytes.
        package var range: ByteRange { ByteRange(from: offset, to: offset + Int64(bytes.count)) }
    }

    /// The number of bytes that are kept of each response.
    package static let bytesKept = 512
    /// The number of responses of which bytes are kept: 2 MiB at most.
    private static let maxEntries = 4096

    /// The bytes, in the order in which they came.
    package private(set) var entries: [Entry] = []

    /// Creates an empty value.
    package init() {}

    /// Keeps the first bytes of a span.
    package mutating func keep(_ bytes: RawSpan, at offset: Int64) {
        guard bytes.byteCount > 0, entries.count < Self.maxEntries else { return }
        // The span is valid for the whole call and the array copies it.
        let first = unsafe bytes.withUnsafeBytes { unsafe Array($0.prefix(Self.bytesKept)) }
        entries.append(Entry(offset: offset, bytes: first))
    }

    /// Removes the bytes that were compared, and returns them.
    package mutating func take(where isComparable: (Entry) -> Bool) -> [Entry] {
        let taken = entries.filter(isComparable)
        if !taken.isEmpty { entries.removeAll(where: isComparable) }
        return taken
    }
}

/// Paths and queries of URLs as they are sent.
enum URLPath {
    /// Returns the canonical form of a path that is absolute or empty: encoded, without dot segments, and at least `/`.
    static func canonical(_ path: ArraySlice<UInt8>) -> String {
        if isPlain(path) { return String(decoding: path, as: UTF8.self) }
        return PercentCoding.encode(withoutDotSegments(path), allowed: isAllowed)
    }

    /// Returns the canonical form of a query: encoded, and otherwise unchanged, because servers may have signed it.
    static func canonicalQuery(_ query: ArraySlice<UInt8>) -> String {
        PercentCoding.encode(query) { isAllowed($0) || $0 == UInt8(ascii: "?") }
    }

    /// Replaces the last segment of `base` with a relative path (RFC 3986, section 5.2.3).
    static func merged(_ base: String, with relative: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let base = Array(base.utf8)
        let folder = base.prefix(through: base.lastIndex(of: UInt8(ascii: "/")) ?? base.startIndex)
        return (folder + relative)[...]
    }

    // RFC 3986, section 5.2.4, on whole segments: "." is dropped, ".." removes the segment before it, and either at the
    // end leaves a slash.
    private static func withoutDotSegments(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for segment in segments {
            if segment.elementsEqual("..".utf8) { _ = kept.popLast() }
            if !isDots(segment) { kept.append(segment) }
        }
        if let last = segments.last, isDots(last) { kept.append([]) }
        return [UInt8(ascii: "/")] + kept.joined(separator: [UInt8(ascii: "/")])
    }

    /// Returns true if the path is already canonical, as nearly all are: ASCII letters, digits and a few signs, without
    /// a segment that begins with a dot.
    private static func isPlain(_ path: ArraySlice<UInt8>) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        var previous = UInt8(ascii: "a")
        for byte in path {
            defer { previous = byte }
            switch byte {
            case UInt8(ascii: "."): if previous == UInt8(ascii: "/") { return false }
            case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"): break
            case _: guard byte.isASCIILetterOrDigit else { return false }
            }
        }
        return true
    }

    private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
    }

    // `pchar` and "/" of RFC 3986, section 3.3, except "%", which the encoder handles.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~!$&'()*+,;=:@/".utf8.contains(byte)
    }
}

extension String {
    /// The components of a path, without empty ones.
    ///
    /// Split at bytes, as the kernel does: a combining mark after a slash forms one `Character` with it, which would
    /// hide the slash.
    package var pathComponents: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }
}

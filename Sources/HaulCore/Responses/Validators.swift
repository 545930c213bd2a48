/// What tells one version of a resource from another: entity tag and modification date, as the server wrote them.
///
/// RFC 9110, 8.8: a strong validator changes whenever a byte changes. Only a strong one may join bytes of two answers.
package struct Validators: Hashable, Sendable {
    /// The entity tag as received, `W/` included; a malformed one in weak form.
    package var etag: String?
    /// The `Last-Modified` value, byte for byte as received.
    package var lastModified: String?
    /// Whether the date is strong: at least 60 s before the `Date` of the same answer (RFC 9110, 8.8.2.2).
    package var dateIsStrong: Bool

    /// Creates validators.
    ///
    /// Many servers send tags without quotation marks. Such a tag proves nothing, but if it changes, the file has changed.
    package init(etag: String? = nil, lastModified: String? = nil, dateIsStrong: Bool = false) {
        self.etag = etag.flatMap { Self.isWellFormed($0) ? $0 : Self.weakened($0) }
        self.lastModified = lastModified
        self.dateIsStrong = lastModified != nil && dateIsStrong
    }

    /// The entity tag, if there is one and it is strong.
    package var strongETag: String? {
        guard let etag, !etag.hasPrefix("W/") else { return nil }
        return etag
    }

    /// What `If-Range` may carry: the strong tag, else the strong date, else nothing (RFC 9110, 13.1.5).
    package var ifRange: String? { strongETag ?? (dateIsStrong ? lastModified : nil) }

    /// Whether bytes of two answers with these validators may be joined without looking at them.
    package var areStrong: Bool { ifRange != nil }

    /// Compares these validators with those of a later answer.
    ///
    /// - A validator that both answers carry and that differs means another version, whatever the other one says: servers keep weak tags,
    ///   and tags made of the size alone, when a file changes.
    /// - An answer that lacks a tag that the other one has, or has its weak form, proves nothing (RFC 9110, 15.3.7: a part has the ETag that
    ///   the whole would have).
    /// - Of equal dates, the earlier answer's must be strong: the file may have changed within the same second after it.
    package func agreement(with later: Validators) -> Agreement {
        if let mine = etag, let theirs = later.etag, Self.opaque(mine) != Self.opaque(theirs) { return .different }
        if let mine = lastModified, let theirs = later.lastModified, mine != theirs { return .different }
        guard (etag == nil) == (later.etag == nil), (strongETag == nil) == (later.strongETag == nil) else {
            return .unknown
        }
        if let strongETag, strongETag == later.strongETag { return .same }
        return dateIsStrong && lastModified == later.lastModified ? .same : .unknown
    }

    /// What two sets of validators say about each other.
    package enum Agreement: Hashable, Sendable, CaseIterable {
        /// The same version for certain.
        case same
        /// Another version for certain.
        case different
        /// They do not tell.
        case unknown
    }

    /// A malformed tag as a weak one, other than visible ASCII characters as escapes; nil if it is empty.
    private static func weakened(_ tag: String) -> String? {
        let content = tag.filter { $0 != "\"" }
        guard !content.isEmpty, content != "W/" else { return nil }
        let visible = content.utf8.map { byte in
            byte >= 0x21 && byte <= 0x7E ? String(UnicodeScalar(byte)) : "%\(String(byte, radix: 16))"
        }
        return "W/\"\(visible.joined())\""
    }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// RFC 9110, 8.8.3, but for bytes that are not ASCII: those may have been changed on the way into a String.
    private static func isWellFormed(_ tag: String) -> Bool {
        let opaque = opaque(tag).utf8
        // An empty tag is well-formed, but it is the same for every file.
        guard opaque.count > 2, opaque.first == UInt8(ascii: "\""), opaque.last == UInt8(ascii: "\"") else {
            return false
        }
        return opaque.allSatisfy { $0 >= 0x21 && $0 <= 0x7E }
    }
}

/// How the bytes of a partial came together, in the order of how much has to be shown before they are continued.
package enum Provenance: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// From one source, whose validators say of each byte which version it is of.
    case oneSource
    /// From several sources, each of which was compared with what was there before it was joined.
    case compared
    /// Joined without a look, or by mirrors that nobody has chosen, because a digest decides at the end: only with one are they continued.
    case unproven

    package static func < (first: Provenance, second: Provenance) -> Bool { first.rawValue < second.rawValue }
}

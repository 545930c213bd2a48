/// The entity tag and modification date that identify a version of a resource, as sent by the server.
///
/// RFC 9110, 8.8: a strong validator changes whenever a byte changes. Bytes of two responses may be joined only under a
/// strong validator.
package struct Validators: Hashable, Sendable {
    /// The entity tag as received, including `W/`; a malformed one in weak form.
    package var etag: String?
    /// The `Last-Modified` value, byte for byte as received.
    package var lastModified: String?
    /// True if the date is strong: at least 60 s before the `Date` of the same response (RFC 9110, 8.8.2.2).
    package var dateIsStrong: Bool

    /// Makes validators.
    ///
    /// Many servers send tags without quotation marks. Such a tag proves nothing if it is equal, but if it changes, the
    /// file has changed.
    package init(etag: String? = nil, lastModified: String? = nil, dateIsStrong: Bool = false) {
        self.etag = etag.flatMap { Self.isWellFormed($0) ? $0 : Self.weakened($0) }
        self.lastModified = lastModified
        self.dateIsStrong = lastModified != nil && dateIsStrong
    }

    /// The entity tag, if it is strong.
    package var strongETag: String? {
        guard let etag, !etag.hasPrefix("W/") else { return nil }
        return etag
    }

    /// The strong tag, if it is long enough to be a digest of the content: then it means the same for every resource.
    ///
    /// Others, such as a revision number, are unique for the versions of one resource only (RFC 9110, 8.8.3).
    package var digestTag: String? {
        guard let strongETag, strongETag.utf8.count(where: { Character(UnicodeScalar($0)).isHexDigit }) >= 32 else {
            return nil
        }
        return strongETag
    }

    /// The value for `If-Range`: the strong tag, else the strong date, else nil (RFC 9110, 13.1.5).
    package var ifRange: String? { strongETag ?? (dateIsStrong ? lastModified : nil) }

    /// True if there is a tag or a date.
    package var hasAny: Bool { etag != nil || lastModified != nil }

    /// True if bytes of two responses with these validators may be joined without comparing them.
    package var areStrong: Bool { ifRange != nil }

    /// Compares these validators with those of a later response.
    ///
    /// - If both responses have a validator and it differs, the version differs, even if the other validator is equal:
    ///   servers keep weak tags, and tags derived from the size alone, when a file changes.
    /// - If only one response has a tag, or has it in weak form, the result is unknown (RFC 9110, 15.3.7: a part has
    ///   the ETag that the whole would have).
    /// - Equal dates prove the same version only if the earlier response's date is strong: the file may have changed
    ///   later within the same second.
    package func agreement(with later: Validators) -> Agreement {
        if let mine = etag, let theirs = later.etag, Self.opaque(mine) != Self.opaque(theirs) { return .different }
        if let mine = lastModified, let theirs = later.lastModified, mine != theirs { return .different }
        guard (etag == nil) == (later.etag == nil), (strongETag == nil) == (later.strongETag == nil) else {
            return .unknown
        }
        if let strongETag, strongETag == later.strongETag { return .same }
        return dateIsStrong && lastModified == later.lastModified ? .same : .unknown
    }

    /// Returns true if later validators have the tag as well, or the date if there is no tag.
    package func areComparable(with later: Validators) -> Bool {
        etag == nil ? lastModified != nil && later.lastModified != nil : later.etag != nil
    }

    /// Returns true if later validators include the tag, or else the date, and contradict nothing.
    func areRepeated(by later: Validators) -> Bool {
        areComparable(with: later) && agreement(with: later) != .different
    }

    /// Returns true if this is the tag, strong or weak, or the date.
    package func contains(_ validator: String) -> Bool {
        etag.map(Self.opaque) == Self.opaque(validator) || lastModified == validator
    }

    /// The result of comparing two sets of validators.
    package enum Agreement: Hashable, Sendable, CaseIterable {
        /// Certainly the same version.
        case same
        /// Certainly different versions.
        case different
        /// Not enough evidence.
        case unknown
    }

    /// Returns a malformed tag in weak form, with everything but visible ASCII escaped; nil if it is empty.
    private static func weakened(_ tag: String) -> String? {
        let content = tag.filter { $0 != "\"" }
        guard !content.isEmpty, content != "W/" else { return nil }
        let visible = content.utf8.map { byte in
            byte >= 0x21 && byte <= 0x7E ? String(UnicodeScalar(byte)) : "%\(String(byte, radix: 16))"
        }
        return "W/\"\(visible.joined())\""
    }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// Checks the syntax of RFC 9110, 8.8.3, but rejects bytes beyond ASCII, which may have changed during the
    /// conversion to a String.
    private static func isWellFormed(_ tag: String) -> Bool {
        let opaque = opaque(tag).utf8
        // An empty tag is well-formed, but it is the same for every file.
        guard opaque.count > 2, opaque.first == UInt8(ascii: "\""), opaque.last == UInt8(ascii: "\"") else {
            return false
        }
        return opaque.allSatisfy { $0 >= 0x21 && $0 <= 0x7E }
    }
}

extension Validators {
    /// Returns true if a response of another server shows that it has the same version.
    ///
    /// Each server has entity tags of its own, but a copy usually keeps the date. A server without any validators could
    /// not show a change itself.
    func vouch(for copy: Validators) -> Bool {
        if etag == nil, lastModified == nil { return true }
        if let lastModified, let date = copy.lastModified, lastModified != date { return false }
        return lastModified != nil && lastModified == copy.lastModified
            || strongETag != nil && strongETag == copy.strongETag
    }
}

/// The source whose response described a partial file: the validators in the journal are its own.
package enum Describer: Hashable, Sendable {
    /// The main source.
    case main
    /// Another source of this download.
    case mirror(SourceURL)
    /// A URL that this download does not have any more, and that differs from one that it has only in the query.
    case formerURL
    /// A source that this download does not have any more.
    case unknown
}

/// The origin of the bytes of a partial file, ordered by the proof required to resume it.
package enum Provenance: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// From one source, whose validators identify the version of each byte.
    case oneSource
    /// From several sources; each was compared with the existing bytes before it was used.
    case compared
    /// Joined without comparison, or from mirrors that the user did not choose, because a digest is verified at the
    /// end. Can be resumed only with a digest.
    case unproven

    package static func < (first: Provenance, second: Provenance) -> Bool { first.rawValue < second.rawValue }
}

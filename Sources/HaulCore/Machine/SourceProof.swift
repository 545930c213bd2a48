/// How far a new source has proved that it has the file that a partial of another source is a part of.
///
/// Of each stretch of bytes that is there the last 64 KiB are compared, before anything is written: so nothing is lost where the
/// proof fails. Once all of them compare equal, or the entity tags settle it, all bytes are gone on with.
package struct SourceProof: Hashable, Sendable {
    /// The version that the bytes are of, at the old source.
    let old: KnownVersion
    /// The version at the new source; nil before its first answer.
    private(set) var new: KnownVersion?
    /// What is still to be compared, in order.
    private(set) var overlaps: [ByteRange]
    /// Whether a strong entity tag is the same at both sources.
    private(set) var isVouchedFor = false

    /// Makes a proof of which nothing has been done.
    init(of old: KnownVersion, _ map: SegmentMap, overlap: Int64) {
        self.old = old
        overlaps = map.segments.filter { $0.position > $0.start }.map {
            ByteRange(from: max($0.start, $0.position - overlap), to: $0.position)
        }
    }

    /// Hears what an answer says.
    ///
    /// - Returns: why it is of another file, or nil.
    mutating func hear(_ facts: ResponseFacts) -> String? {
        guard facts.servesRanges else { return "it has no ranges to compare by" }
        guard let total = facts.total, total == old.total else {
            return "it has \(facts.total.map(String.init) ?? "an unknown number of") bytes "
                + "where \(old.total.map(String.init) ?? "another number") should be"
        }
        if new == nil {
            let (mine, theirs) = (old.validators, facts.validators)
            if let tag = mine.strongETag, let other = theirs.strongETag, tag != other, let date = mine.lastModified,
                let otherDate = theirs.lastModified, date != otherDate
            {
                return "its ETag and its date are different"
            }
            new = facts.version
            isVouchedFor = old.validators.strongETag.map { $0 == facts.validators.strongETag } ?? false
        }
        return nil
    }

    /// The bytes up to `position` compared equal.
    ///
    /// - Returns: whether that is more than before.
    mutating func advance(to position: Int64) -> Bool {
        guard let first = overlaps.first, position > first.lowerBound else { return false }
        if position >= first.upperBound {
            overlaps.removeFirst()
            // One comparison is made even then: tags of two servers may be the same by accident.
            if isVouchedFor { overlaps = [] }
        } else {
            overlaps[0] = ByteRange(from: position, to: first.upperBound)
        }
        return true
    }
}

/// How far a new source has proved that it has the file that a partial of another source is a part of.
///
/// Of each stretch of existing bytes, the first and the last 64 KiB and samples between them are compared before anything is written: if
/// the proof fails, nothing is lost. Once all of them are equal, or one is and the strong entity tags are the same, all bytes are kept.
package struct SourceProof: Hashable, Sendable {
    /// The version that the bytes are of, at the old source.
    let old: KnownVersion
    /// The version at the new source; nil before its first answer.
    private(set) var new: KnownVersion?
    /// What is still to be compared, in order.
    private(set) var overlaps: [ByteRange]
    /// Whether a strong entity tag is the same at both sources.
    private(set) var isVouchedFor = false

    /// The file of another program that is to be adopted; nil: a partial of Haul.
    let foreign: String?

    /// Makes a proof of which nothing has been done.
    init(of old: KnownVersion, _ map: SegmentMap, overlap: Int64, foreign: String? = nil) {
        self.old = old
        self.foreign = foreign
        overlaps = map.segments.filter { $0.position > $0.start }.flatMap { segment in
            // The last bytes first: the new ones follow them, and one comparison may be enough.
            Self.samples(of: ByteRange(from: segment.start, to: segment.position), overlap).reversed()
        }
    }

    /// Of each so many bytes of a stretch one sample is compared, besides both its ends.
    private static let sampleDistance: Int64 = 4 << 20
    private static let maxSamples: Int64 = 6

    /// Both ends of a stretch, and samples at even distances between; all of it where it is short.
    static func samples(of stretch: ByteRange, _ overlap: Int64) -> [ByteRange] {
        guard stretch.count > 2 * overlap else { return [stretch] }
        let count = min(maxSamples, stretch.count / sampleDistance) + 1
        return (0...count).map { index in
            let offset = index == count ? stretch.count - overlap : stretch.count / count * index
            let start = stretch.lowerBound + min(offset, stretch.count - overlap)
            return ByteRange(from: start, to: start + overlap)
        }
    }

    /// Hears what an answer says.
    ///
    /// - Returns: why it is of another file, or nil.
    mutating func receive(_ facts: ResponseFacts) -> String? {
        guard facts.servesRanges else { return "it has no ranges to compare by" }
        guard let total = facts.total, total == old.total else {
            return "it has \(facts.total.map(String.init) ?? "an unknown number of") bytes "
                + "where \(old.total.map(String.init) ?? "another number") should be"
        }
        if new == nil {
            let (mine, theirs) = (old.validators, facts.validators)
            let hasSameTag = mine.strongETag.map { $0 == theirs.strongETag } ?? false
            // Parts of disk images and archives of two releases may be equal wherever they are compared.
            if let date = mine.lastModified, let otherDate = theirs.lastModified, date != otherDate, !hasSameTag {
                return "its date is different"
            }
            new = facts.version
            isVouchedFor = hasSameTag
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

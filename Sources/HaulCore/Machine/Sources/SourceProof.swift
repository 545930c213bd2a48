/// The progress of a new source in proving that it has the file to which another source's partial file belongs.
///
/// Of each stretch of existing bytes, the first and the last 64 KiB and samples between them are compared before anything is written: if
/// the proof fails, nothing is lost. Once all of them are equal, or one is and the strong entity tags are the same, all bytes are kept.
package struct SourceProof: Hashable, Sendable {
    /// Why a response ends the proof.
    struct Refusal: Hashable, Sendable {
        let reason: String
        /// True if the new source has a different file; false if it cannot be compared.
        let isOther: Bool

        init(_ reason: String, isOther: Bool) { (self.reason, self.isOther) = (reason, isOther) }
    }

    /// The version of the bytes at the old source.
    let old: KnownVersion
    /// The version at the new source; nil before its first response.
    private(set) var new: KnownVersion?
    /// The ranges that are still to be compared, in order.
    private(set) var overlaps: [ByteRange]
    /// True if both sources have the same strong entity tag.
    private(set) var isVouchedFor = false

    /// The file of another program that is to be adopted; nil for a partial file of Haul.
    let foreign: String?

    /// Creates a proof for which nothing is compared yet.
    init(of old: KnownVersion, _ map: SegmentMap, overlap: Int64, foreign: String? = nil) {
        self.old = old
        self.foreign = foreign
        overlaps = map.segments.filter { $0.position > $0.start }.flatMap { segment in
            // The last bytes first: the new ones follow them, and one comparison may be enough.
            Self.samples(of: ByteRange(from: segment.start, to: segment.position), overlap).reversed()
        }
    }

    /// The number of bytes for which one sample is compared, besides both ends of a stretch.
    private static let sampleDistance: Int64 = 4 << 20
    private static let maxSamples: Int64 = 6

    /// Returns both ends of a stretch, and samples at equal distances in between; all of it if it is short.
    static func samples(of stretch: ByteRange, _ overlap: Int64) -> [ByteRange] {
        guard stretch.count > 2 * overlap else { return [stretch] }
        let count = min(maxSamples, stretch.count / sampleDistance) + 1
        return (0...count).map { index in
            let offset = index == count ? stretch.count - overlap : stretch.count / count * index
            let start = stretch.lowerBound + min(offset, stretch.count - overlap)
            return ByteRange(from: start, to: start + overlap)
        }
    }

    /// Checks the head of a response.
    ///
    /// - Returns: The reason why it is of a different file or cannot be compared, or nil.
    mutating func receive(_ facts: ResponseFacts) -> Refusal? {
        guard facts.servesRanges else {
            return Refusal("the server does not support range requests, so it cannot be compared", isOther: false)
        }
        guard let total = facts.total, total == old.total else {
            return Refusal(
                "it has \(facts.total.map(String.init) ?? "an unknown number of") bytes, "
                    + "expected \(old.total.map(String.init) ?? "another number")",
                isOther: facts.total != nil && old.total != nil)
        }
        if new == nil {
            let (mine, theirs) = (old.validators, facts.validators)
            let hasSameTag = mine.strongETag.map { $0 == theirs.strongETag } ?? false
            // Parts of disk images and archives of two releases may be equal wherever they are compared.
            if let date = mine.lastModified, let otherDate = theirs.lastModified, date != otherDate, !hasSameTag {
                return Refusal("its date is different", isOther: true)
            }
            new = facts.version
            isVouchedFor = hasSameTag
        }
        return nil
    }

    /// Records that the bytes up to `position` are equal.
    ///
    /// - Returns: True if that is more than before.
    mutating func advance(to position: Int64) -> Bool {
        guard let first = overlaps.first, position > first.lowerBound else { return false }
        if position >= first.upperBound {
            overlaps.removeFirst()
            // One comparison is made even then: the tags of two servers may be the same by accident.
            if isVouchedFor { overlaps = [] }
        } else {
            overlaps[0] = ByteRange(from: position, to: first.upperBound)
        }
        return true
    }
}

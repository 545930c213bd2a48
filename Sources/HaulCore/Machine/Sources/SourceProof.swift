/// The progress of a source in proving that it has the file to which existing bytes belong that nothing else ties to it.
///
/// Of each stretch of existing bytes, the first and the last 64 KiB are compared before anything is written, and samples between them
/// if another source or program left the bytes: if the proof fails, nothing is lost. Once all of them are equal, or one is and the
/// entity tags are the same digest, or tags and dates are the same, all bytes are kept.
package struct SourceProof: Hashable, Sendable {
    /// Why a response ends the proof.
    enum Refusal: Hashable, Sendable {
        /// The source has a different file.
        case other(String)
        /// The source has another version than before in this run.
        case changed
        /// The source cannot be compared.
        case incomparable(String)
        /// The source may have another version, and only the one that described the bytes can tell.
        case unconfirmed
    }

    /// The origin of the bytes.
    package enum Origin: Hashable, Sendable {
        /// Several sources of this download, in an earlier run: the journal does not say which one described the file, or its validators
        /// do not identify the version.
        case severalSources
        /// Another source, which this one replaces.
        case otherSource
        /// The file of another program, with this path, which is to be adopted.
        case otherProgram(String)
    }

    /// The version of the bytes at the old source.
    let old: KnownVersion
    /// The version at the new source; nil before its first response.
    private(set) var new: KnownVersion?
    /// The ranges that are still to be compared, in order.
    private(set) var overlaps: [ByteRange]
    /// True if both sources have the same strong entity tag, and it may be a digest, or their dates are the same, too.
    private(set) var isVouchedFor = false

    /// The origin of the bytes.
    let origin: Origin
    /// The validators of an earlier response of this run, with which the file was found; nil if there was none.
    private let seen: Validators?

    /// Creates a proof for which nothing is compared yet.
    init(
        of old: KnownVersion, _ map: SegmentMap, overlap: Int64, origin: Origin = .otherSource,
        seen: Validators? = nil
    ) {
        self.old = old
        self.seen = seen
        self.origin = origin
        overlaps = map.segments.filter { $0.position > $0.start }.flatMap { segment in
            // The last bytes first: the new ones follow them, and one comparison may be enough.
            let samples = Self.samples(of: ByteRange(from: segment.start, to: segment.position), overlap)
            return
                (origin == .severalSources && samples.count > 2 ? [samples[0], samples[samples.count - 1]] : samples)
                .reversed()
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
    /// - Parameter fromDescriber: True if it is of the source whose validators the journal keeps.
    /// - Returns: The reason why it is of a different file or cannot be compared, or nil.
    mutating func receive(_ facts: ResponseFacts, fromDescriber: Bool = true) -> Refusal? {
        guard facts.servesRanges else {
            return .incomparable("the server does not support range requests, so it cannot be compared")
        }
        guard let total = facts.total, total == old.total else {
            let reason =
                "it has \(facts.total.map(String.init) ?? "an unknown number of") bytes, "
                + "expected \(old.total.map(String.init) ?? "another number")"
            return facts.total != nil && old.total != nil ? .other(reason) : .incomparable(reason)
        }
        if new == nil {
            let (mine, theirs) = (old.validators, facts.validators)
            if let seen {
                // The date decides whether a file of another program may be used.
                let isDatedNow = seen.lastModified == nil && theirs.lastModified != nil
                if isDatedNow || seen.agreement(with: theirs) == .different { return .changed }
            }
            let hasSameDigest = mine.digestTag.map { $0 == theirs.digestTag } ?? false
            let hasSameDate = mine.lastModified.map { $0 == theirs.lastModified } ?? false
            if origin == .severalSources, !fromDescriber, !mine.vouch(for: theirs) { return .unconfirmed }
            let isSame = origin == .severalSources ? fromDescriber : old.describer == .formerURL
            if isSame, mine.agreement(with: theirs) == .different {
                return .other("it has changed")
            }
            // Parts of disk images and archives of two releases may be equal wherever they are compared.
            if let date = mine.lastModified, let otherDate = theirs.lastModified, date != otherDate, !hasSameDigest {
                return .other("its date is different")
            }
            new = facts.version
            isVouchedFor = hasSameDigest || hasSameDate && mine.strongETag.map { $0 == theirs.strongETag } ?? false
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

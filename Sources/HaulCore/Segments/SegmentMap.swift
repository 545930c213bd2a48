/// The segments of one file.
///
/// They always cover it exactly, without gaps or overlaps.
///
/// That holds by construction: only starts and positions are stored. A segment ends where the next one starts, the last
/// one at the end of the file. The journal stores the same two numbers for each segment.
package struct SegmentMap: Hashable, Sendable {
    /// A piece of the file and its progress.
    package struct Segment: Hashable, Sendable {
        /// The id, never reused.
        package let id: Int
        /// The offset of its first byte.
        package let start: Int64
        /// The offset after the last written byte: `start <= position`, and never beyond the end.
        package fileprivate(set) var position: Int64
    }

    /// The size of the file; nil if unknown: then there is one segment without an end.
    package private(set) var total: Int64?
    /// All segments, ordered by start.
    ///
    /// Never empty; the first starts at 0.
    package private(set) var segments: [Segment]
    private var nextID: Int

    /// Makes one segment for the whole file, with nothing written.
    package init(total: Int64?) {
        self.total = total.map { max(0, $0) }
        segments = [Segment(id: 0, start: 0, position: 0)]
        nextID = 1
    }

    /// Restores the state of an earlier session; empty pieces join the previous one, and ids are assigned again.
    ///
    /// - Parameter joins: True if adjacent pieces are joined.
    ///
    /// Invalid pairs (outside the file, out of order) are dropped: their bytes are then downloaded again.
    package init(total: Int64, resuming pieces: [(start: Int64, position: Int64)], joins: Bool = true) {
        self.init(total: total)
        var joined: [(start: Int64, position: Int64)] = [(0, 0)]
        for piece in pieces.sorted(by: { $0.start < $1.start })
        where piece.start >= 0 && piece.position > piece.start && piece.position <= total {
            let last = joined[joined.count - 1]
            guard piece.start >= last.position else { continue }
            if piece.start == last.position && (joins || last.position == last.start) {
                joined[joined.count - 1].position = piece.position
            } else {
                joined.append(piece)
            }
        }
        segments = joined.enumerated().map {
            Segment(id: $0.offset, start: $0.element.start, position: $0.element.position)
        }
        nextID = segments.count
    }

    /// Returns the segment with this id.
    package func segment(_ id: Int) -> Segment? { segments.first { $0.id == id } }

    /// Returns the offset after the segment's last byte, or nil if the size of the file is unknown.
    package func end(of id: Int) -> Int64? {
        segments.firstIndex { $0.id == id }.flatMap(end(at:)) ?? total
    }

    private func end(at index: Int) -> Int64? { index + 1 < segments.count ? segments[index + 1].start : total }

    /// Returns the number of missing bytes of the segment, or nil if the size of the file is unknown.
    package func remaining(of id: Int) -> Int64? {
        guard let segment = segment(id), let end = end(of: id) else { return nil }
        return end - segment.position
    }

    /// The incomplete segments, ordered by start.
    package var unfinished: [Segment] {
        segments.indices.filter { segments[$0].position != end(at: $0) }.map { segments[$0] }
    }

    /// The total number of bytes written.
    package var written: Int64 { segments.reduce(0) { $0 + ($1.position - $1.start) } }

    /// The number of bytes from the start of the file that are written without a gap.
    package var contiguousPrefix: Int64 {
        unfinished.first?.position ?? total ?? 0
    }

    /// Returns the number of bytes immediately before an offset that are written without a gap.
    package func written(before offset: Int64) -> Int64 {
        var start = offset
        for segment in segments.reversed() where segment.start < start {
            guard segment.position >= start else { break }
            start = segment.start
        }
        return offset - start
    }

    /// True if every byte is written.
    package var isComplete: Bool { total != nil && unfinished.isEmpty }

    /// Records that a segment is written up to `position`.
    ///
    /// A lower position is ignored; one beyond the end is clamped.
    package mutating func advance(_ id: Int, to position: Int64) {
        guard let index = segments.firstIndex(where: { $0.id == id }) else { return }
        let limit = end(of: id) ?? .max
        segments[index].position = max(segments[index].position, min(position, limit))
    }

    /// Moves the part of a segment from `offset` on to a new segment.
    ///
    /// - Returns: The id of the new segment, or nil if `offset` does not lie strictly between position and end.
    package mutating func split(_ id: Int, at offset: Int64) -> Int? {
        guard let index = segments.firstIndex(where: { $0.id == id }), let end = end(of: id),
            offset > segments[index].position, offset < end
        else { return nil }
        let new = Segment(id: nextID, start: offset, position: offset)
        nextID += 1
        segments.insert(new, at: index + 1)
        return new.id
    }

    /// Returns the segment after another one.
    package func next(after id: Int) -> Segment? {
        guard let index = segments.firstIndex(where: { $0.id == id }), index + 1 < segments.count else { return nil }
        return segments[index + 1]
    }

    /// Merges the following segment, of which nothing is written, into this one.
    ///
    /// - Returns: The id of the removed segment, or nil if there is none or it has bytes.
    package mutating func absorb(after id: Int) -> Int? {
        guard let index = segments.firstIndex(where: { $0.id == id }), index + 1 < segments.count,
            segments[index + 1].position == segments[index + 1].start
        else { return nil }
        return segments.remove(at: index + 1).id
    }

    /// Records that a segment is written from `offset` to its end; the bytes before are written by another fetch.
    ///
    /// - Returns: False, without any effect, if `offset` does not lie between position and end.
    package mutating func finish(_ id: Int, from offset: Int64) -> Bool {
        guard let segment = segment(id), let end = end(of: id), offset >= segment.position, offset < end else {
            return false
        }
        advance(offset > segment.position ? split(id, at: offset) ?? id : id, to: end)
        return true
    }

    /// Joins the complete segments at the start of the file, so that a file received in order needs few.
    ///
    /// - Parameter ids: The segments that are still referenced.
    package mutating func mergeContiguousPrefix(sparing ids: Set<Int>) {
        var count = 0
        while count + 1 < segments.count, segments[count].position == segments[count + 1].start,
            !ids.contains(segments[count].id)
        {
            count += 1
        }
        guard count > 1 else { return }
        segments[0].position = segments[count - 1].position
        segments.removeSubrange(1..<count)
    }

    /// Sets the size of a file of unknown size, at the end of its stream.
    package mutating func close(at total: Int64) {
        guard self.total == nil else { return }
        self.total = max(total, segments[segments.count - 1].position)
    }
}

/// A snapshot of the segments of a file and their activity.
package struct SegmentPicture: Sendable {
    private let map: SegmentMap
    private let active: [Int]

    /// Takes the snapshot; copies little more than a reference.
    package init(_ machine: DownloadMachine) {
        map = machine.map
        active = machine.fetches.all.compactMap(\.segment)
    }

    /// The segments, in file order and without gaps.
    package var segments: [DownloadSegment] {
        let pieces = map.segments
        return pieces.indices.map { index in
            DownloadSegment(
                start: pieces[index].start, position: pieces[index].position,
                end: index + 1 < pieces.count ? pieces[index + 1].start : map.total,
                isActive: active.contains(pieces[index].id))
        }
    }
}

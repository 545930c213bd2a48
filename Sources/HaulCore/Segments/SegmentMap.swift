/// The segments of one file: they tile it exactly, whatever is done to the map.
///
/// That holds by construction. Only starts and positions are kept; a segment ends where the next one starts, the last one at the
/// end of the file. The journal keeps the same two numbers in a slot of its own for each.
package struct SegmentMap: Hashable, Sendable {
    /// A piece of the file and how far it is.
    package struct Segment: Hashable, Sendable {
        /// Its id, never used twice.
        package let id: Int
        /// The offset of its first byte.
        package let start: Int64
        /// The offset behind the last byte that is written: `start <= position`, and never beyond the end.
        package fileprivate(set) var position: Int64
    }

    /// The size of the file, or nil where it is not known: then there is one segment without an end.
    package private(set) var total: Int64?
    /// All segments in the order of their starts.
    ///
    /// Never empty; the first starts at 0.
    package private(set) var segments: [Segment]
    private var nextID: Int

    /// One segment over the whole file, nothing written.
    package init(total: Int64?) {
        self.total = total.map { max(0, $0) }
        segments = [Segment(id: 0, start: 0, position: 0)]
        nextID = 1
    }

    /// The state of an earlier session: empty pieces given to the one before, ids counted anew.
    ///
    /// - Parameter joins: Whether pieces that touch become one.
    ///
    /// Pairs that make no sense (out of the file, out of order) are left out: their bytes are then fetched again.
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

    /// The segment with this id.
    package func segment(_ id: Int) -> Segment? { segments.first { $0.id == id } }

    /// The offset behind the segment's last byte, or nil where the size of the file is not known.
    package func end(of id: Int) -> Int64? {
        segments.firstIndex { $0.id == id }.flatMap(end(at:)) ?? total
    }

    private func end(at index: Int) -> Int64? { index + 1 < segments.count ? segments[index + 1].start : total }

    /// Bytes of the segment that are not written, or nil where the size of the file is not known.
    package func remaining(of id: Int) -> Int64? {
        guard let segment = segment(id), let end = end(of: id) else { return nil }
        return end - segment.position
    }

    /// The segments that are not finished, in the order of their starts.
    package var unfinished: [Segment] {
        segments.indices.filter { segments[$0].position != end(at: $0) }.map { segments[$0] }
    }

    /// Bytes written in all.
    package var written: Int64 { segments.reduce(0) { $0 + ($1.position - $1.start) } }

    /// How far the file is without a gap from its start.
    package var contiguousPrefix: Int64 {
        unfinished.first?.position ?? total ?? 0
    }

    /// How many bytes right before an offset are written without a gap.
    package func written(before offset: Int64) -> Int64 {
        var start = offset
        for segment in segments.reversed() where segment.start < start {
            guard segment.position >= start else { break }
            start = segment.start
        }
        return offset - start
    }

    /// Whether every byte is written.
    package var isComplete: Bool { total != nil && unfinished.isEmpty }

    /// Records that a segment is written up to `position`.
    ///
    /// Going back and going beyond the end are ignored.
    package mutating func advance(_ id: Int, to position: Int64) {
        guard let index = segments.firstIndex(where: { $0.id == id }) else { return }
        let limit = end(of: id) ?? .max
        segments[index].position = max(segments[index].position, min(position, limit))
    }

    /// Gives the later part of a segment, from `offset` on, to a new one.
    ///
    /// - Returns: the new segment's id, or nil where `offset` does not lie strictly between position and end.
    package mutating func split(_ id: Int, at offset: Int64) -> Int? {
        guard let index = segments.firstIndex(where: { $0.id == id }), let end = end(of: id),
            offset > segments[index].position, offset < end
        else { return nil }
        let new = Segment(id: nextID, start: offset, position: offset)
        nextID += 1
        segments.insert(new, at: index + 1)
        return new.id
    }

    /// The segment behind another one.
    package func next(after id: Int) -> Segment? {
        guard let index = segments.firstIndex(where: { $0.id == id }), index + 1 < segments.count else { return nil }
        return segments[index + 1]
    }

    /// Gives a segment the one behind it back, of which nothing is written.
    ///
    /// - Returns: the id of the one that is no more, or nil where there is none behind it, or one that has begun.
    package mutating func absorb(after id: Int) -> Int? {
        guard let index = segments.firstIndex(where: { $0.id == id }), index + 1 < segments.count,
            segments[index + 1].position == segments[index + 1].start
        else { return nil }
        return segments.remove(at: index + 1).id
    }

    /// Records that a segment is written from `offset` on to its end; what lies before is another's work.
    ///
    /// - Returns: false, and nothing is changed, where `offset` does not lie between position and end.
    package mutating func finish(_ id: Int, from offset: Int64) -> Bool {
        guard let segment = segment(id), let end = end(of: id), offset >= segment.position, offset < end else {
            return false
        }
        advance(offset > segment.position ? split(id, at: offset) ?? id : id, to: end)
        return true
    }

    /// Joins the finished segments at the start of the file to one, so that a file that is taken in order needs few.
    ///
    /// - Parameter ids: segments that are still spoken of.
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

    /// Fixes the size of a file that came without one, at the end of its stream.
    package mutating func close(at total: Int64) {
        guard self.total == nil else { return }
        self.total = max(total, segments[segments.count - 1].position)
    }
}

/// The segments of a file at one instant, with what works on them.
package struct SegmentPicture: Sendable {
    private let map: SegmentMap
    private let active: [Int]

    /// Takes the picture: little more than a reference is copied.
    package init(_ machine: DownloadMachine) {
        map = machine.map
        active = machine.fetches.all.compactMap(\.segment)
    }

    /// The segments, in the order of the file; they tile it.
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

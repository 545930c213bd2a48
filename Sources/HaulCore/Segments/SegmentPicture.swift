/// The segments of a file at one instant, with what works on them.
package struct SegmentPicture: Sendable {
    private let map: SegmentMap
    private let active: [Int]

    /// Takes the picture: little more than a reference is copied.
    package init(_ machine: DownloadMachine) {
        map = machine.map
        active = machine.active.values.compactMap(\.segment)
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

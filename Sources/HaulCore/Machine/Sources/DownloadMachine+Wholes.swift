/// Sources that send only the whole file: existing bytes are compared with the start of the response, and the rest of it
/// continues them.
extension DownloadMachine {
    /// The step after which a lone source without ranges sends the file again.
    ///
    /// The existing bytes stay where they are, so that a run that is killed meanwhile loses none of them.
    var startOver: MachinePhase.AfterDraining {
        guard let known = sources[sources.primary].version else { return .restart }
        return continuation(of: known, [Located.Piece(start: 0, position: map.contiguousPrefix)]) ?? .restart
    }

    /// Returns the step that continues these bytes of a partial file without ranges; nil if they can't be compared.
    func continuation(of known: KnownVersion, _ pieces: [Located.Piece]) -> MachinePhase.AfterDraining? {
        let isLone = !sources.mayMix && configuration.streamWindow == nil && configuration.window == nil
        guard isLone, !sources[sources.primary].usesRanges, known.total != nil,
            let first = pieces.first(where: { $0.start == 0 }), first.position > 0
        else { return nil }
        return .resume([first])
    }

    /// Returns true if a segment is continued with a response that has the whole file.
    func comparesWhole(_ segment: SegmentMap.Segment, with source: SourceID) -> Bool {
        !sources[source].usesRanges && !sources.mayMix && configuration.streamWindow == nil
            && configuration.window == nil && map.segments.count == 1 && segment.position > 0
    }
}

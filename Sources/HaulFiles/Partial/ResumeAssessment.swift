import HaulCore

/// The reason why an earlier session can't be resumed.
package struct PartialFault: Error, Hashable, Sendable {
    /// The reason as a clause for people.
    package let reason: String
    /// True if nothing identifies this file as a partial file that may be overwritten: the journal describes another
    /// one, or can't be read by this version.
    package var isForeign = false
}

/// The trusted data of an earlier session, and the part of it that is on disk.
package struct ResumeAssessment: Hashable, Sendable {
    /// The bytes and their version.
    package var state: PartialState
    /// The segments that the next journal may record as durable.
    package var durable: [ResumedSegment]
    /// True if the process was killed before a checkpoint, so that the segments may hold bytes that the disk refused.
    package var isDoubtful = false
}

extension PartialFile {
    /// Decides if a journal matches a partial file and a source, and how much of it can be trusted.
    ///
    /// A partial file of a source in `replaced`, or of any source with `anySource`, is accepted: the result says so,
    /// and the caller must verify the new source.
    package static func assess(
        _ bytes: [UInt8], _ partial: FileStatus, sourceID: String, _ replaced: [String] = [], anySource: Bool = false,
        bootID: String
    ) -> Result<ResumeAssessment, PartialFault> {
        let journal: Journal
        do throws(JournalFault) {
            journal = try Journal(decoding: bytes)
        } catch {
            return .failure(PartialFault(reason: error.reason, isForeign: error.isOfOtherVersion || error == .foreign))
        }
        let header = journal.header
        guard header.partial == partial.identity else {
            return .failure(PartialFault(reason: "the partial file was replaced", isForeign: true))
        }
        guard anySource || header.sourceID == sourceID || replaced.contains(header.sourceID) else {
            return fault("the partial file is from another source")
        }
        let trust = JournalTrust(header, bootID: bootID, mountID: partial.mountID)
        let segments = journal.segments(trust)
        let reach = header.totalBytes ?? segments.last?.position ?? 0
        guard partial.size >= reach else {
            return fault("the partial file is truncated: it has \(partial.size) bytes, expected \(reach)")
        }
        if let total = header.totalBytes, partial.size > total {
            return fault("the partial file has grown: it has \(partial.size) bytes, expected \(total)")
        }
        var state = PartialState(
            totalBytes: header.totalBytes, etag: header.etag, lastModified: header.lastModified, segments: segments)
        state.provenance = header.provenance
        state.describer = header.describer
        state.owner = header.sourceID
        state.isOfOtherSource = header.sourceID != sourceID
        return .success(
            ResumeAssessment(
                state: state, durable: journal.segments(.durable),
                isDoubtful: trust == .written
                    && (header.isSyncing || journal.slots.contains { $0.written > $0.durable })))
    }

    /// Returns the offset up to which the bytes from an offset on are present without a gap.
    ///
    /// The segments are in order.
    static func reach(from offset: Int64, in segments: [ResumedSegment]) -> Int64 {
        var position = offset
        for segment in segments where segment.start <= position { position = max(position, segment.position) }
        return position
    }

    private static func fault(_ reason: String) -> Result<ResumeAssessment, PartialFault> {
        .failure(PartialFault(reason: reason))
    }
}

extension JournalFault {
    /// True if another version of Haul wrote the journal, and may still resume the download.
    var isOfOtherVersion: Bool {
        switch self {
        case .version: true
        case .cut, .foreign, .garbled: false
        }
    }

    /// The fault as a clause for people.
    var reason: String {
        switch self {
        case .cut: "the journal is truncated"
        case .foreign: "the journal was not written by Haul"
        case .version(let version): "the journal has format \(version), which this version of Haul does not know"
        case .garbled: "the journal is corrupt"
        }
    }
}

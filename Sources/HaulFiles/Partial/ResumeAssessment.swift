import HaulCore

/// Why an earlier session's bytes are not gone on with.
package struct PartialFault: Error, Hashable, Sendable {
    /// The reason as a clause for people.
    package let reason: String
    /// Whether nothing says that this file is a partial that may be overwritten: the journal speaks of another one, or can't be read by
    /// this version.
    package var isForeign = false
}

/// What of an earlier session may be believed, and what of that is on the medium.
package struct ResumeAssessment: Hashable, Sendable {
    /// What is there, and of which version.
    package var state: PartialState
    /// The ground on which the next journal's `durable` stands.
    package var durable: [ResumedSegment]
}

extension PartialFile {
    /// Decides whether a journal fits a partial and a source, and what of it may be believed.
    ///
    /// A partial of a source in `replaced`, or of any source with `anySource`, is accepted: the result says so, and the caller has the new
    /// source prove itself.
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
            totalBytes: header.totalBytes, etag: header.etag, lastModified: header.lastModified,
            omitsValidators: header.omitsValidators, segments: segments)
        state.provenance = header.provenance
        state.isOfOtherSource = header.sourceID != sourceID
        return .success(ResumeAssessment(state: state, durable: journal.segments(.durable)))
    }

    /// How far the bytes from an offset on are there without a gap.
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
    /// Whether another version of Haul wrote the journal, and may still resume the download.
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

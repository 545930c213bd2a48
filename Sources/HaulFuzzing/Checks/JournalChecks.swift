import HaulCore
import HaulFiles

/// Properties of journals from any source.
enum JournalChecks {
    /// Checks a journal file of any bytes.
    static func file(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let journal = try? Journal(decoding: bytes) else { return }
        let encoded = journal.encoded()
        guard let again = try? Journal(decoding: encoded) else { throw FuzzFinding("what is written is read back") }
        try claim(again.header == journal.header, "a header is read back: \(journal.header) as \(again.header)")
        // Slots that were left out free their positions: the following ones move up.
        try claim(again.slots == journal.slots, "slots are read back")
        try claimTiles(journal, .written)
        try claimTiles(journal, .durable)
        try claimAssessment(journal, bytes)
    }

    /// Checks the same with valid check values, which random input never has: see `ForgedJournal`.
    static func fields(_ bytes: [UInt8]) throws(FuzzFinding) { try file(ForgedJournal.bytes(from: bytes)) }

    private static func claimTiles(_ journal: Journal, _ trust: JournalTrust) throws(FuzzFinding) {
        let segments = journal.segments(trust)
        let end = journal.header.totalBytes ?? .max
        try claim(segments.first?.start == 0, "segments begin at 0: \(segments)")
        for (index, segment) in segments.enumerated() {
            let next = index + 1 < segments.count ? segments[index + 1].start : end
            try claim(segment.start < next || segments.count == 1, "segments are in order: \(segments)")
            try claim(
                (segment.start...max(segment.start, next)).contains(segment.position),
                "a segment ends in itself: \(segments)")
        }
        let fetched = PartialState(totalBytes: nil, etag: nil, lastModified: nil, segments: segments).fileBytes
        try claim((0...end).contains(fetched), "no more is there than the file has: \(fetched) of \(end)")
    }

    private static func claimAssessment(_ journal: Journal, _ bytes: [UInt8]) throws(FuzzFinding) {
        guard var partial = try? SystemCalls.live.status(atPath: "/") else { return }
        let header = journal.header
        partial.identity = header.partial
        partial.mountID = header.mountID
        for size in [0, header.totalBytes ?? 0, journal.slots.last?.written ?? 0, .max] {
            partial.size = size
            for source in [header.sourceID, "another"] {
                let found = PartialFile.assess(
                    bytes, partial, sourceID: source, [header.sourceID], bootID: header.bootID)
                guard case .success(let assessment) = found else { continue }
                let reach = assessment.state.segments.last?.position ?? 0
                try claim(reach <= size, "nothing is believed that the partial does not hold: \(reach) of \(size)")
                try claim(assessment.state.isOfOtherSource == (source != header.sourceID), "another source is told")
            }
        }
    }
}

/// Properties of other programs' control files from any source.
enum ForeignChecks {
    /// Checks a control file of any bytes, read as aria2's and as axel's.
    static func control(_ bytes: [UInt8]) throws(FuzzFinding) {
        if let file = Aria2ControlFile(decoding: bytes) { try claim(file.pieces, file.total) }
        if let file = AxelStateFile(decoding: bytes) { try claim(file.pieces, file.total) }
        for account in [ForeignPartial.Account.aria2(bytes), .axel(bytes), .both, .prefix] {
            let found = ForeignPartial(path: "f", control: "f.st", account: account, size: 100_000, modified: 5)
            guard let pieces = try? found.adoptable(total: 1 << 20, modified: nil, isVouchedFor: false) else {
                continue
            }
            try claim(pieces, found.size)
        }
    }

    private static func claim(_ pieces: [ByteRange], _ total: Int64) throws(FuzzFinding) {
        var position: Int64 = -1
        for piece in pieces {
            try HaulFuzzing.claim(
                !piece.isEmpty && piece.lowerBound > position, "pieces are apart, in order: \(pieces)")
            position = piece.upperBound
        }
        try HaulFuzzing.claim(position <= total, "no piece lies behind the end: \(pieces) of \(total)")
    }
}

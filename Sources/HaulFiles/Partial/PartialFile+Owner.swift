extension PartialFile {
    /// What is known of a file in a partial's place.
    package enum Ownership {
        /// There is none, or nothing is in it.
        case nothing
        /// Nothing says that it is Haul's.
        case foreign
        /// A journal, or the mark in its place, says that it is a partial of Haul.
        case own
    }

    /// Returns whether a file in the place of the partial or of its journal is not known to be Haul's: the partial holds bytes and no
    /// journal beside it describes it, or what is in the journal's place is not a journal.
    ///
    /// Nothing is locked or changed: without the lock the answer holds for the moment.
    package static func isForeign(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> Bool {
        try ownership(names, system) == .foreign
    }

    /// Returns whether a journal beside the file says that it is a partial; see `isForeign`.
    package static func isPartial(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> Bool {
        try ownership(names, system) == .own
    }

    /// Whether there is something in a journal's place that is not a journal of Haul, damaged or not: it must not be replaced either.
    static func isForeignJournal(_ path: String, _ system: SystemCalls) throws(FileError) -> Bool {
        switch try readJournal(path, system) {
        case .absent: false
        case .unreadable: true
        case .bytes(let bytes): !JournalHeader.mayBegin(bytes)
        }
    }

    /// Returns what is known of the file in the partial's place; see `isForeign`.
    package static func ownership(_ names: PartialNames, _ system: SystemCalls) throws(FileError) -> Ownership {
        for path in [names.journal, names.newJournal] where try isForeignJournal(path, system) { return .foreign }
        guard let partial = try system.status(atPath: names.partial), partial.kind == .regular, partial.size > 0 else {
            return .nothing
        }
        switch try readJournal(names.journal, system) {
        case .absent, .unreadable: return .foreign
        case .bytes([]): return .own
        case .bytes(let bytes):
            do throws(JournalFault) {
                return try Journal(decoding: bytes).header.partial == partial.identity ? .own : .foreign
            } catch {
                return error.isOfOtherVersion ? .foreign : .own
            }
        }
    }

    /// The identity of the source that brought the bytes of a partial; nil where no journal tells, or one of another partial does.
    ///
    /// Nothing is locked or changed: without the lock the answer holds for the moment.
    package static func owner(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> String? {
        guard case .bytes(let bytes) = try readJournal(names.journal, system),
            let header = try? Journal(decoding: bytes).header,
            let partial = try system.status(atPath: names.partial), partial.identity == header.partial
        else { return nil }
        return header.sourceID
    }
}

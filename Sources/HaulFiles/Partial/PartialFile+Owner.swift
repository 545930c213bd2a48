extension PartialFile {
    /// What is known of a file in a partial's place.
    private enum Ownership {
        /// There is none, or nothing is in it.
        case none
        /// Nothing says that it is Haul's.
        case foreign
        /// A journal, or the mark in its place, says that it is a partial of Haul.
        case own
    }

    /// Returns whether the file in the partial's place is not known to be Haul's: it holds bytes, and no journal beside it speaks of it.
    ///
    /// Nothing is locked or changed: without the lock the answer holds for the moment.
    package static func isForeign(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> Bool {
        try ownership(names, system) == .foreign
    }

    /// Returns whether a journal beside the file says that it is a partial; see `isForeign`.
    package static func isPartial(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> Bool {
        try ownership(names, system) == .own
    }

    private static func ownership(_ names: PartialNames, _ system: SystemCalls) throws(FileError) -> Ownership {
        guard let partial = try system.status(atPath: names.partial), partial.kind == .regular, partial.size > 0 else {
            return .none
        }
        switch try readJournal(names.journal, system) {
        case .absent: return .foreign
        case .unreadable, .bytes([]): return .own
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

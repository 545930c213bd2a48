import HaulLibC

extension PartialFile {
    /// The owner of a file in the place of a partial file.
    package enum Ownership {
        /// There is no file, or it is empty.
        case nothing
        /// Nothing identifies it as Haul's.
        case foreign
        /// A journal, or the mark in its place, identifies it as a partial file of Haul.
        case own
    }

    /// Returns true if a file in the place of the partial file or of its journal is not known to be Haul's: the partial
    /// file has bytes and no journal describes it, or the file in place of the journal is not a journal.
    ///
    /// Nothing is locked or changed, so the result may be out of date at once.
    package static func isForeign(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> Bool {
        try ownership(names, system) == .foreign
    }

    /// Returns true if a journal beside the file identifies it as a partial file; see `isForeign`.
    package static func isPartial(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> Bool {
        try ownership(names, system) == .own
    }

    /// Returns true if the file in place of a journal is not one of Haul's, damaged or not: it must not be replaced
    /// either.
    static func isForeignJournal(
        _ path: String, _ status: FileStatus?, _ system: SystemCalls
    ) throws(FileError) -> Bool {
        switch try readJournal(path, status, system) {
        case .absent: false
        case .unreadable: true
        case .bytes(let bytes): !JournalHeader.mayBegin(bytes)
        }
    }

    /// Returns what is known of the file in the partial's place; see `isForeign`.
    package static func ownership(_ names: PartialNames, _ system: SystemCalls) throws(FileError) -> Ownership {
        let partial = try system.status(atPath: names.partial)
        let journals = [
            (names.journal, try system.status(atPath: names.journal)),
            (names.newJournal, try system.status(atPath: names.newJournal)),
        ]
        for file in [partial, journals[0].1, journals[1].1] {
            if let file, try isOfStranger(file, names.dataFolder, system) { return .foreign }
        }
        for (path, status) in journals where try isForeignJournal(path, status, system) { return .foreign }
        guard let partial, partial.kind == .regular, partial.size > 0 else { return .nothing }
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

    /// Returns true if a file is another user's, in a folder in which all users may create files: he could change it after it
    /// was verified.
    ///
    /// The rule of Linux for opening files there (fs.protected_regular of proc_sys_fs(5)): the owner of the folder is trusted.
    static func isOfStranger(
        _ file: FileStatus, _ folder: String, _ system: SystemCalls
    ) throws(FileError) -> Bool {
        guard file.owner != geteuid(), let folder = try system.status(atPath: folder + "/") else { return false }
        return folder.isShared && file.owner != folder.owner
    }

    /// Returns the identity of the source of a partial file's bytes; nil if there is no journal, or one of another
    /// partial file.
    ///
    /// Nothing is locked or changed, so the result may be out of date at once.
    package static func owner(_ names: PartialNames, system: SystemCalls = .live) throws(FileError) -> String? {
        guard case .bytes(let bytes) = try readJournal(names.journal, system),
            let header = try? Journal(decoding: bytes).header,
            let partial = try system.status(atPath: names.partial), partial.identity == header.partial
        else { return nil }
        return header.sourceID
    }
}

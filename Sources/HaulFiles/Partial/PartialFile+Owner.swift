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
    static func isForeignJournal(_ path: String, _ system: SystemCalls) throws(FileError) -> Bool {
        switch try readJournal(path, system) {
        case .absent: false
        case .unreadable: true
        case .bytes(let bytes): !JournalHeader.mayBegin(bytes)
        }
    }

    /// Returns what is known of the file in the partial's place; see `isForeign`.
    package static func ownership(_ names: PartialNames, _ system: SystemCalls) throws(FileError) -> Ownership {
        if let folder = try sharedFolder(of: names, system) {
            for path in [names.partial, names.journal, names.newJournal] {
                if let found = try system.status(atPath: path), isOfStranger(found, in: folder) { return .foreign }
            }
        }
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

    /// Returns the folder of a partial file if all users may create files in it; nil otherwise.
    static func sharedFolder(of names: PartialNames, _ system: SystemCalls) throws(FileError) -> FileStatus? {
        guard let folder = try system.status(atPath: names.dataFolder + "/"), folder.isShared else { return nil }
        return folder
    }

    /// Returns true if a file in such a folder is another user's, who could change it after it was verified.
    ///
    /// The rule of Linux for opening files there (fs.protected_regular of proc_sys_fs(5)): the owner of the folder is trusted.
    static func isOfStranger(_ file: FileStatus, in folder: FileStatus) -> Bool {
        file.owner != geteuid() && file.owner != folder.owner
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

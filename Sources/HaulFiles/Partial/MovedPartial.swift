package import HaulCore

/// A partial file at a path to which the user has moved or copied it.
///
/// A journal names the inode of its partial file, so that it never describes another one. A rename keeps the inode, but
/// a copy has a new one: it can be resumed only after its journal was written again, which requires that both were
/// copied while nothing was writing them.
package struct MovedPartial: Sendable {
    /// The use that can be made of a partial file.
    package enum Finding: Sendable, Hashable {
        /// There is none, or none that could be resumed.
        case none
        /// It is resumed as it is.
        case ready
        /// It is a copy, complete as far as can be seen.
        case copied
        /// It is a copy that is shorter than its journal says, or whose journal can't be used.
        case broken
    }

    private let names: PartialNames
    private let system: SystemCalls
    /// The result of the inspection.
    package let finding: Finding

    /// Inspects the partial file of a complete file; changes nothing.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`.
    package init(finalPath: String, system: SystemCalls = .live) throws(DownloadError) {
        self.system = system
        let standard = PartialNames(final: finalPath)
        let found = try publicly { () throws(FileError) in try Self.inspect(standard, system) }
        let isStandard = found != .none
        names = isStandard ? standard : standard.alternative
        guard !isStandard else {
            finding = found
            return
        }
        let other = names
        finding = try publicly { () throws(FileError) in try Self.inspect(other, system) }
    }

    private static func inspect(_ names: PartialNames, _ system: SystemCalls) throws(FileError) -> Finding {
        guard let partial = try system.status(atPath: names.partial), partial.kind == .regular else { return .none }
        guard case .bytes(let bytes) = try PartialFile.readJournal(names.journal, system), !bytes.isEmpty else {
            return .none
        }
        guard let journal = try? Journal(decoding: bytes) else { return .broken }
        guard journal.header.partial != partial.identity else { return .ready }
        return isComplete(partial, journal) ? .copied : .broken
    }

    private static func isComplete(_ partial: FileStatus, _ journal: Journal) -> Bool {
        let reach = journal.segments(.written).map(\.position).max() ?? 0
        guard let total = journal.header.totalBytes else { return partial.size >= reach }
        return partial.size == total
    }

    /// Writes the journal of a copy again, for the copy.
    ///
    /// The bytes are synced first, since the journal says that they are.
    ///
    /// - Throws: `DownloadError` with code `destinationBusy` if another process uses the file, `fileFailed`, or
    ///   `noSpace`; the copy is then as before.
    package func adopt() throws(DownloadError) {
        guard finding == .copied else { return }
        let isLocked = try publicly { () throws(FileError) -> Bool in
            let file = try system.open(names.partial, .create)
            guard try system.lock(file) else { return false }
            let status = try system.status(file)
            guard case .bytes(let bytes) = try PartialFile.readJournal(names.journal, system),
                var journal = try? Journal(decoding: bytes), Self.isComplete(status, journal)
            else { return true }
            try system.sync(file)
            // What was copied after an interrupted sync may be what the disk had, not what was written.
            if journal.header.isSyncing { try journal.settle() }
            journal.header.partial = status.identity
            try journal.replace(in: names, system)
            try system.syncFolder(names.dataFolder)
            return true
        }
        guard isLocked else { throw PartialFile.busy(names) }
    }
}

package import HaulCore

extension PartialFile {
    /// Opens or creates the partial file, locks it for this process, and inspects what an earlier session left.
    ///
    /// Nothing is changed yet (`begin` replaces an unusable journal when it discards its bytes), except that the journal of a
    /// killed process is reduced to what is on disk.
    ///
    /// - Parameters:
    ///   - finalPath: The path of the complete file.
    ///   - sourceID: The identity of the source, the same in each session, without secrets; evaluated only if a journal
    ///     is read or written.
    ///   - resumes: True if existing data is inspected, and a journal kept.
    /// - Throws: `DownloadError`: `destinationBusy` if another process or download uses it, `fileFailed` if it is not a
    ///   regular file or can't be opened.
    package static func open(
        finalPath: String, sourceID: @autoclosure @escaping @Sendable () -> String, resumes: Bool,
        system: SystemCalls = .live
    ) throws(DownloadError) -> PartialFile {
        try open(PartialNames(final: finalPath), sourceID: sourceID(), resumes: resumes, system: system)
    }

    /// Opens a partial file under the given names.
    ///
    /// Data of one of `replacedSources` is found, too, and with `anySource` that of any source.
    package static func open(
        _ names: PartialNames, sourceID: @autoclosure @escaping @Sendable () -> String, resumes: Bool,
        replacedSources: [String] = [], anySource: Bool = false, replaceable: ReplaceableFile.Seen = .now,
        system: SystemCalls = .live
    ) throws(DownloadError) -> PartialFile {
        let (data, status) = try lockedPartial(names, system)
        let (replaceable, finding) = try publicly { () throws(FileError) in
            (
                try replaceable.file(at: names.final, system),
                try inspect(
                    names, data, status, sourceID: sourceID, resumes: resumes, replacedSources, anySource: anySource)
            )
        }
        return PartialFile(
            names: names, sourceID: sourceID, resumes: resumes, data: data, opened: status, replaceable: replaceable,
            found: finding.found, isForeign: finding.isForeign, durable: finding.durable, oldJournal: finding.journal)
    }

    /// Opens and locks the partial file.
    ///
    /// Between the two, another process may have published or removed the file: the name then belongs to another file,
    /// and the lock is on one that can't be found again.
    private static func lockedPartial(
        _ names: PartialNames, _ system: SystemCalls
    ) throws(DownloadError) -> (OpenFile, FileStatus) {
        for _ in 0..<16 {
            let attempt = try publicly { () throws(FileError) -> (OpenFile, FileStatus, isLocked: Bool) in
                let file = try system.open(names.partial, .create)
                let status = try system.status(file)
                return (file, status, status.kind == .regular ? try system.lock(file) : false)
            }
            let (file, status, isLocked) = attempt
            guard status.kind == .regular else { throw notAFile(names.partial, status.kind) }
            if try publicly({ () throws(FileError) in try isOfStranger(status, names.dataFolder, system) }) {
                throw DownloadError(
                    .destinationBusy, "\(names.partial) belongs to another user: choose another name or folder")
            }
            guard isLocked else { throw busy(names) }
            let settled = try publicly { () throws(FileError) -> FileStatus? in
                guard let named = try system.status(atPath: names.partial), named.isSameFile(as: status) else {
                    return nil
                }
                // Writes would be visible under a second name, possibly that of the complete file, which a publication
                // killed between link and unlink leaves. So that file is left alone and a new one is made.
                guard named.links == 1, try !isPublished(file, named, names, system) else {
                    try system.unlink(names.partial)
                    return nil
                }
                return named
            }
            if let settled { return (file, settled) }
        }
        throw busy(names)
    }

    /// Returns true if the complete file is this partial file, under its second name.
    ///
    /// A file system in user space may count one link for each name, and give each an inode of its own. So where files have
    /// no birth time, one with the same bytes counts as the same; if it is another one, nothing is lost.
    private static func isPublished(
        _ file: OpenFile, _ status: FileStatus, _ names: PartialNames, _ system: SystemCalls
    ) throws(FileError) -> Bool {
        guard status.size > 0, let final = try system.status(atPath: names.final), final.kind == .regular,
            final.size == status.size
        else { return false }
        if final.isSameFile(as: status) { return true }
        guard status.identity.born == nil else { return false }
        return try system.haveSameBytes(file, system.open(names.final, .read), count: status.size)
    }

    private static func notAFile(_ path: String, _ kind: FileKind) -> DownloadError {
        DownloadError(
            .fileFailed, "\(path) is a \(kind.rawValue), not a regular file: remove it, or choose another name")
    }

    static func busy(_ names: PartialNames) -> DownloadError {
        DownloadError(
            .destinationBusy, "another download is writing \(names.partial): wait for it, or choose another name")
    }

    private struct Finding {
        var found: Found
        var isForeign = false
        var durable: [ResumedSegment] = []
        var journal: FileStatus?
    }

    private static func inspect(
        _ names: PartialNames, _ data: OpenFile, _ partial: FileStatus, sourceID: () -> String, resumes: Bool,
        _ replacedSources: [String], anySource: Bool, isSettled: Bool = false
    ) throws(FileError) -> Finding {
        let system = data.system
        let named = try system.status(atPath: names.journal)
        guard resumes else {
            return Finding(found: .nothing, isForeign: named == nil && partial.size > 0, journal: named)
        }
        let reason: String
        var isForeign = false
        switch try readJournal(names.journal, named, system) {
        case .absent: return Finding(found: .nothing, isForeign: partial.size > 0)
        case .unreadable(let why):
            reason = why
        // The mark of a partial file that is not resumed.
        case .bytes([]): return Finding(found: .nothing, journal: named)
        case .bytes(let bytes):
            switch assess(
                bytes, partial, sourceID: sourceID(), replacedSources, anySource: anySource, bootID: system.bootID())
            {
            case .success(let assessment) where assessment.isDoubtful && !isSettled:
                try settle(bytes, data, names)
                return try inspect(
                    names, data, partial, sourceID: sourceID, resumes: resumes, replacedSources, anySource: anySource,
                    isSettled: true)
            case .success(let assessment):
                return Finding(found: .resumable(assessment.state), durable: assessment.durable, journal: named)
            case .failure(let fault): (reason, isForeign) = (fault.reason, fault.isForeign && partial.size > 0)
            }
        }
        return Finding(found: .unusable(reason: reason), isForeign: isForeign, journal: named)
    }

    /// The bytes of a journal, or the reason why there are none.
    enum Reading {
        case absent
        case unreadable(String)
        case bytes([UInt8])
    }

    static func readJournal(_ path: String, _ system: SystemCalls) throws(FileError) -> Reading {
        try readJournal(path, system.status(atPath: path), system)
    }

    static func readJournal(
        _ path: String, _ named: FileStatus?, _ system: SystemCalls
    ) throws(FileError) -> Reading {
        guard let named else { return .absent }
        guard named.kind == .regular else { return .unreadable("the journal is a \(named.kind.rawValue)") }
        return .bytes(try contents(path, limit: Journal.byteLimit, system))
    }

    /// Returns the first bytes of a file, at most `limit`.
    static func contents(_ path: String, limit: Int, _ system: SystemCalls) throws(FileError) -> [UInt8] {
        let file = try system.open(path, .read)
        let size = min(try system.status(file).size, Int64(limit))
        var bytes = [UInt8](repeating: 0, count: Int(size))
        var span = bytes.mutableSpan
        // Safe: the buffer belongs to the array for the duration of the call.
        let count = try unsafe span.withUnsafeMutableBytes { buffer throws(FileError) in
            unsafe try system.read(file, into: buffer, at: 0)
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

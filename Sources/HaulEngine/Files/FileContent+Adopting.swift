import HaulCore
import HaulFiles
import Synchronization

/// Partial files of other programs: found, proved by the machine, and then converted to Haul's own.
///
/// A file of another program is not touched before its bytes are proved; if they can't be, it is left as it was.
extension FileContent {
    /// A file of another program that is being proved.
    struct Adoption {
        let file: ForeignFile
        let found: ForeignPartial
        let path: String
    }

    /// The extensions that browsers give an unfinished file; a partial file of Haul has the first one, too, with its
    /// journal beside it.
    private static let browserEndings = [PartialNames.partialEnding, ".crdownload", ".download"]

    var adopts: Bool {
        (spec.adoptsPartials || spec.tuning.adoptsControlled == true) && spec.resumes && spec.range == nil
    }

    /// Throws an error if another program's control file says that the file at a path is not complete.
    func requireFinished(_ path: String) throws(DownloadError) {
        let (aria2, axel) = try controls(of: path)
        if aria2 != nil { throw .unfinished(path, control: path + ForeignControl.aria2Ending) }
        if axel != nil { throw .unfinished(path, control: path + ForeignControl.axelEnding) }
    }

    /// Returns true if there is a control file of another program for a path.
    func hasControl(_ path: String) throws(DownloadError) -> Bool {
        let (aria2, axel) = try controls(of: path)
        return aria2 != nil || axel != nil
    }

    /// Returns true if there may be a file to adopt at a path; the decision then needs the server's response.
    ///
    /// A partial file of Haul takes precedence.
    func mayAdopt(_ path: String) throws(DownloadError) -> Bool {
        guard adopts, options.published == nil else { return false }
        let names = try names(path)
        let isOwn = try fileCall { () throws(FileError) in try PartialFile.isPartial(names, system: system) }
        if isOwn {
            try removeLeftControl(path, names)
            return false
        }
        return try foreign(path) != nil
    }

    /// Opens the file to adopt at a path, and returns the pieces to be proved; nil if there is none.
    ///
    /// A file as long as the server's is treated like any other, unless `mayBeWhole` says otherwise.
    func adoptable(_ path: String, _ facts: ResponseFacts) throws(DownloadError) -> Located? {
        // Releases a file whose proof failed earlier.
        state.withLock { $0.adoption = nil }
        guard try mayAdopt(path), let found = try foreign(path) else { return nil }
        do {
            let pieces = try found.adoptable(
                total: facts.total, modified: facts.modified, isVouchedFor: spec.checksum != nil || spec.pieces != nil,
                takesWhole: mayBeWhole(facts))
            guard let pieces else { return nil }
            for own in [found.path, found.control].compactMap(\.self) {
                try ForeignFile.requireOwn(own, system: system)
            }
            let file = try ForeignFile(found.path, system: system)
            var written: [ByteRange] = []
            for piece in pieces {
                if try file.firstHole(in: piece) == piece.upperBound { written.append(piece) }
            }
            guard found.account != .prefix || !written.isEmpty else {
                throw ForeignPartial.Refusal("unknown parts of it were never written")
            }
            guard !written.isEmpty || pieces.isEmpty else { throw ForeignPartial.Refusal("no part of it is complete") }
            state.withLock { $0.adoption = Adoption(file: file, found: found, path: path) }
            return .adoptable(
                path: path, file: found.path, KnownVersion(total: facts.total, validators: Validators()),
                written.map { Located.Piece(start: $0.lowerBound, position: $0.upperBound) })
        } catch let refusal as ForeignPartial.Refusal {
            throw .notAdopted(found.path, reason: refusal.reason)
        } catch let fault as ForeignFile.Fault {
            throw error(fault, found.path)
        } catch {
            throw DownloadError(.internal, "can't read \(found.path)", cause: "\(error)")
        }
    }

    /// Turns a proved file into the partial file, which is then resumed like any other.
    func takeAdopted(_ version: KnownVersion, _ map: SegmentMap) throws(DownloadError) {
        guard let adoption = state.withLock({ $0.adoption }) else { return }
        state.withLock { $0.adoption = nil }
        let stored = version.validators.forJournal
        let segments = map.segments.map { ResumedSegment(start: $0.start, position: $0.position) }
        // A browser's `NAME.part` already has the name of Haul's own partial file.
        let standard = standardNames(adoption.path)
        if standard.partial == adoption.found.path { state.withLock { $0.names = standard } }
        let names = try names(adoption.path)
        try requireAdmission(names.folder)
        do throws(ForeignFile.Fault) {
            try adoption.file.adopt(
                as: names, sourceID: sourceID, control: adoption.found.control, etag: stored.etag,
                lastModified: stored.lastModified, provenance: version.provenance, segments: segments)
        } catch {
            throw self.error(error, adoption.found.path)
        }
        nameCache?.changed(names.dataFolder)
        let source = sourceID
        let partial = try PartialFile.open(names, sourceID: source, resumes: true, system: system)
        state.withLock { $0.partial = partial }
    }

    private func error(_ fault: ForeignFile.Fault, _ path: String) -> DownloadError {
        switch fault {
        case .refused(let reason): .notAdopted(path, reason: reason)
        case .failed(let error): error.downloadError
        }
    }

    /// Looks for a file of another program: with the final name or, if there is none, with the names that browsers use.
    private func foreign(_ path: String) throws(DownloadError) -> ForeignPartial? {
        switch try existing(path) {
        case .other: return nil
        case .regular(let size, let modified):
            let control = try control(of: path)
            guard control != nil || spec.adoptsPartials else { return nil }
            return ForeignPartial(
                path: path, control: control?.path, account: control?.account ?? .prefix, size: size,
                modified: modified)
        case .none: break
        }
        // The file of an earlier run of this download is downloaded again from the start.
        guard spec.adoptsPartials, try !isEarlier(path) else { return nil }
        for ending in Self.browserEndings {
            let candidate = path + ending
            if ending == PartialNames.partialEnding, try isOfHaul(path) { continue }
            let there = try fileCall { () throws(FileError) in try ExistingFile.at(candidate, system: system) }
            guard case .regular(let size, let modified) = there, size > 0 else { continue }
            return ForeignPartial(path: candidate, account: .prefix, size: size, modified: modified)
        }
        return nil
    }

    /// Returns true if there is a journal for `NAME.part`, of any version of Haul.
    private func isOfHaul(_ path: String) throws(DownloadError) -> Bool {
        try fileCall { () throws(FileError) in try system.status(atPath: PartialNames(final: path).journal) } != nil
    }

    private func control(of path: String) throws(DownloadError) -> (path: String, account: ForeignPartial.Account)? {
        switch try controls(of: path) {
        case (nil, nil): return nil
        case (let aria2?, nil): return (path + ForeignControl.aria2Ending, .aria2(aria2))
        case (nil, let axel?): return (path + ForeignControl.axelEnding, .axel(axel))
        case (_?, _?): return (path + ForeignControl.aria2Ending, .both)
        }
    }

    private func controls(of path: String) throws(DownloadError) -> (aria2: [UInt8]?, axel: [UInt8]?) {
        try fileCall { () throws(FileError) in try ForeignControl.beside(path, system: system) }
    }

    /// Removes a control file left by a run that was killed right after adopting a file; it describes nothing any more.
    ///
    /// A file with such a name that is not a control file belongs to the user.
    private func removeLeftControl(_ path: String, _ names: PartialNames) throws(DownloadError) {
        let isGone = try fileCall { () throws(FileError) in try system.status(atPath: path) } == nil
        guard isGone, let control = try control(of: path), control.account.isReadable else { return }
        try fileCall { () throws(FileError) in try ForeignControl.remove(control.path, system: system) }
    }
}

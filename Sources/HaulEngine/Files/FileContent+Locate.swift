import HaulCore
import HaulFiles
import Synchronization

/// Finding the path, existing files and partial files.
extension FileContent {
    private var target: FileTarget { FileTarget(spec, options, url) }

    /// The final path, as far as it is known without the server.
    var settledPath: String { target.path(naming: nil) }

    /// Examines the destination before any request to the server.
    func locate() throws(DownloadError) -> Located {
        try lookBefore()
        switch target {
        case .file(let path):
            try requireFolder(PartialNames(final: path).folder)
            try requirePartialFolder(for: PartialNames(final: path).folder)
            try requireAdmission(PartialNames(final: path).folder)
            if let located = try publishedBefore(path) { return located }
            if try mayAdopt(path) { return .unnamed }
            if let time = try timeOfCopy(path) { return .present(modified: time) }
            if try awaitsFacts(path) { return .unnamed }
            return try claim(path)
        case .folder(let folder, _):
            try requireFolder(folder)
            try requirePartialFolder(for: folder)
            try requireAdmission(folder)
            // The server may choose another name; for now, only a partial file, a matching checksum or a usable copy
            // under the guessed name counts.
            let guess = target.path(naming: nil)
            if try mayAdopt(guess) { return .unnamed }
            if let size = try sameByChecksum(guess) { return .kept(path: guess, size: size, isSame: false) }
            if let time = try timeOfCopy(guess) { return .present(modified: time) }
            guard spec.resumes, try hasJournal(guess), try !mustSpare(names(guess)) else { return .unnamed }
            return try claim(guess)
        }
    }

    /// Stores the status of the file at the path now: only this file may be replaced at the end.
    private func lookBefore() throws(DownloadError) {
        guard spec.onConflict != .fail, spec.onConflict != .rename else { return }
        let path = settledPath
        let file =
            options.freePath == path
            ? nil : try fileCall { () throws(FileError) in try ReplaceableFile.at(path, system: system) }
        state.withLock { $0.before = (path, file) }
    }

    /// Chooses name and path after the first response, and starts the partial file unless one can be resumed.
    func prepare(_ facts: ResponseFacts) throws(DownloadError) -> Located {
        if partial == nil {
            // Another program may have created a file since the names were chosen, while the request was running.
            state.withLock { $0.names = nil }
            let path = target.path(naming: facts.contentDisposition)
            if let size = try sameByFacts(path, facts) { return .kept(path: path, size: size, isSame: true) }
            if let located = try adoptable(path, facts) { return located }
            let located = try claim(path)
            guard case .fresh = located else { return located }
        }
        if let path = partial?.names.final, let size = try sameByFacts(path, facts) {
            return .kept(path: path, size: size, isSame: true)
        }
        return try begin(facts)
    }

    func hasJournal(_ path: String) throws(DownloadError) -> Bool {
        let names = try names(path)
        return try fileCall { () throws(FileError) in try system.status(atPath: names.journal) } != nil
    }

    /// Returns a result if an earlier run published the file at `path` but could not record that.
    ///
    /// Its bytes were verified before it got its name; the caller's checksum is verified again to be sure.
    private func publishedBefore(_ path: String) throws(DownloadError) -> Located? {
        guard let published = options.published,
            let size = try PartialFile.finishPublished(
                published, size: options.publishedBytes, names(path), system: system)
        else { return nil }
        noteFinished(path)
        guard let checksum = spec.checksum else { return .published(path: path, size: size) }
        guard let hex = try digest(path, checksum.algorithm) else {
            throw .stopped(.resumes)
        }
        guard hex == checksum.hex else {
            throw DownloadError(
                .checksumMismatch,
                "wrong checksum: \(path) was complete and has changed, expected \(checksum.algorithm.rawValue):"
                    + "\(checksum.hex): move it away, then start the download again",
                cause: "found \(hex)")
        }
        return .published(path: path, size: size)
    }

    /// Applies the conflict policy to a path and opens its partial file.
    private func claim(_ path: String) throws(DownloadError) -> Located {
        if let size = try sameByChecksum(path) { return .kept(path: path, size: size, isSame: false) }
        guard spec.onConflict == .rename else {
            try requireRoom(at: path)
            return try open(path)
        }
        // A path chosen by an earlier run is kept, even if another file has its name now: the next free name is chosen
        // at the end.
        if path == options.targetPath, try hasJournal(path), try !mustSpare(names(path)) { return try open(path) }
        for number in 0..<10_000 {
            let candidate = number == 0 ? path : numbered(path, number)
            guard case .none = try existing(candidate) else { continue }
            do throws(DownloadError) {
                let located = try open(candidate)
                state.withLock { $0.unnumbered = path }
                return located
            } catch {
                guard error.code == .destinationBusy else { throw error }
            }
        }
        throw DownloadError(.destinationExists, "\(path) and 10,000 numbered names exist: choose another name")
    }

    /// Leaves the open partial file alone, which belongs to a different file, and opens one with the alternative name.
    ///
    /// Nothing is renamed or removed, so the other download can still be resumed.
    ///
    /// - Throws: `error` if there is no alternative: the alternative name was tried already, the partial file is the
    ///   download's own, of an earlier source, or a range was requested.
    func leave(_ error: DownloadError) throws(DownloadError) -> Located {
        guard let left = partial, keepsOthers, !left.names.areAlternative else { throw error }
        state.withLock { $0.partial = nil }
        left.close()
        let alternative = try alternative(to: left.names)
        state.withLock { $0.names = alternative }
        let reason = error.cause.map { " (\($0))" } ?? ""
        return try open(
            left.names.final,
            left: "\(left.names.partial) is the partial file of another download\(reason) and is left unchanged")
    }

    /// - Parameter left: The notice about a partial file of another download, for which the alternative name is used.
    private func open(_ path: String, left: String? = nil) throws(DownloadError) -> Located {
        let source = sourceID
        let names = try names(path)
        try requireAdmission(names.folder)
        let partial = try PartialFile.open(
            names, sourceID: source, resumes: spec.resumes,
            replacedSources: options.replacedSources, anySource: keepsOthers, replaceable: seen(at: path),
            system: system)
        nameCache?.changed(names.dataFolder)
        guard !partial.isForeign else {
            partial.close()
            throw DownloadError(
                .destinationBusy,
                "\(partial.names.partial) is in use or not a partial file of Haul: move it away, or choose another name"
            )
        }
        try spare(partial)
        state.withLock { $0.partial = partial }
        switch partial.found {
        case .nothing:
            if partial.names.areAlternative {
                let standard = partial.names.standard.partial
                let reason =
                    left
                    ?? (isOfOtherRequest(partial.names.standard)
                        ? "\(standard) is the partial file of another download and is left unchanged"
                        : "\(standard) may not be a partial file of Haul and is left unchanged")
                notify(.partialQuarantined(reason: reason))
            }
            return .fresh(path: path)
        case .unusable(let reason):
            notify(.partialQuarantined(reason: reason))
            return .fresh(path: path)
        case .resumable(let found):
            let describer = describer(of: found)
            // Sources that change places are still those of the file.
            let isOfOther = found.isOfOtherSource && [.formerURL, .unknown].contains(describer)
            guard found.totalBytes != nil || !isOfOther else {
                if keepsOthers, found.fileBytes > 0 { throw kept(partial) }
                notify(
                    .partialQuarantined(
                        reason:
                            "the size of the file was unknown, so the new source cannot be compared"
                    ))
                return .fresh(path: path)
            }
            var version = KnownVersion(total: found.totalBytes, validators: Validators(journal: found))
            version.provenance = found.provenance
            version.describer = describer
            version.beginsLikePage = partial.beginsLikePage
            let pieces = found.segments.map { Located.Piece(start: $0.start, position: $0.position) }
            guard isOfOther else { return .resumable(path: path, version, pieces) }
            return found.fileBytes > 0 ? .provable(path: path, version, pieces) : .fresh(path: path)
        }
    }

    /// True if a partial file of another source is always kept, because nothing says that it may be replaced.
    ///
    /// Not for a range: another range of the same resource has the same validators, which would wrongly match.
    private var keepsOthers: Bool { options.replacedSources.isEmpty && spec.range == nil }

    private func kept(_ partial: PartialFile) -> DownloadError {
        state.withLock { $0.partial = nil }
        partial.close()
        return DownloadError(
            .sourceChanged,
            "\(partial.names.partial) is the unfinished file of another source and is kept: choose another name, or remove it",
            cause: "its size was unknown, so this source cannot be compared")
    }

    private func seen(at path: String) -> ReplaceableFile.Seen {
        state.withLock { $0.before }.flatMap { $0.path == path ? .before($0.file) : nil } ?? .now
    }

    /// The identity of the source in the journal.
    var sourceID: String { identity(of: url) }

    private func identity(of url: SourceURL) -> String {
        SourceIdentity.digest(url, spec.range, spec.compression, request: spec.source.requestIdentity)
    }

    /// Returns the source of the journal's validators.
    func identity(of describer: Describer) -> JournalDescriber {
        switch describer {
        case .main: JournalDescriber(place: SourceIdentity.place(of: url))
        case .mirror(let url): JournalDescriber(mirror: identity(of: url), place: SourceIdentity.place(of: url))
        case .formerURL, .unknown: JournalDescriber(mirror: "unknown")
        }
    }

    /// Returns the source of this download that described a partial file.
    private func describer(of found: PartialState) -> Describer {
        let identity = found.describer.mirror ?? found.owner
        if identity == sourceID { return .main }
        let mirrors = spec.mirrors.compactMap { try? SourceURL(parsing: $0.url) }
        if let mirror = mirrors.first(where: { self.identity(of: $0) == identity }) { return .mirror(mirror) }
        let places = ([url] + mirrors).map(SourceIdentity.place)
        return found.describer.place.map(places.contains) ?? false ? .formerURL : .unknown
    }

    /// Returns the file at a path, ignoring the one that an earlier run of this download finished with: that one is
    /// downloaded again.
    func existing(_ path: String) throws(DownloadError) -> ExistingFile {
        let there = try fileCall { () throws(FileError) in try ExistingFile.at(path, system: system) }
        guard case .regular(let size, _) = there else { return there }
        if let names = try? names(path) { PartialFile.removeLeftovers(names, system: system) }
        if try isEarlier(path) { return .none }
        // Browsers reserve the name with an empty file while the bytes are saved under another name.
        guard size == 0, spec.adoptsPartials else { return there }
        return try hasControl(path) ? there : .none
    }

    /// Returns true if the file at a path is the one that an earlier run of this download finished with.
    func isEarlier(_ path: String) throws(DownloadError) -> Bool {
        guard let earlier = options.earlier, earlier.path == path, !earlier.kept, earlier.file != nil else {
            return false
        }
        let there = try fileCall { () throws(FileError) in try system.status(atPath: path) }
        return there.map(earlier.describes) ?? false
    }

    /// Throws an error if a file is in the way whatever the server sends.
    ///
    /// Does nothing if the server must be asked first, or if the folder must be admitted before it is examined.
    func requireRoomBeforeRequests() async throws(DownloadError) {
        guard spec.onConflict == .fail, !spec.verifiesExisting, !adopts, options.earlier == nil,
            options.published == nil, options.folderRefusal == nil, case .file(let path) = target
        else { return }
        try await queue.call { [self] () throws(DownloadError) in try requireRoom(at: path) }
    }

    private func requireRoom(at path: String) throws(DownloadError) {
        switch try existing(path) {
        case .none: return
        case .other(let kind):
            throw DownloadError.notAFile(path, kind: kind.rawValue)
        case .regular:
            try requireNoPartial(path)
            switch spec.onConflict {
            case .keep, .rename, .replace: return
            case .fail:
                try requireFinished(path)
                throw spec.verifiesExisting
                    ? .differentFile(at: path) : DownloadError(.destinationExists, "file exists: \(path)")
            // Skipping leaves a file alone: one that is known to be another file is not replaced, either.
            case .skip:
                throw DownloadError.differentFile(at: path)
            }
        }
    }

    /// Throws an error if the file at a path is the partial file of another download.
    func requireNoPartial(_ path: String) throws(DownloadError) {
        guard try isPartial(path) else { return }
        throw DownloadError(
            .destinationBusy,
            "\(path) is the partial file of another download: wait for it, or choose another name")
    }

    /// Returns true if a journal beside the file says that it is a partial file.
    private func isPartial(_ path: String) throws(DownloadError) -> Bool {
        guard path.hasSuffix(PartialNames.partialEnding) else { return false }
        let names = PartialNames(final: String(path.dropLast(PartialNames.partialEnding.count)))
        return try fileCall { () throws(FileError) in try PartialFile.isPartial(names, system: system) }
    }

    func numbered(_ path: String, _ number: Int) -> String {
        let folder = PartialNames(final: path).folder
        let name = path.pathComponents.last ?? path
        return FileTarget.join(folder, FileName.numbered(name, number))
    }
}

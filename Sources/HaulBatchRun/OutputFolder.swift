import HaulBatch
import HaulCore
import HaulDigest
import HaulEngine
import HaulFiles
import HaulLibC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The output folder of a shard, locked against other processes.
struct OutputFolder: Sendable {
    /// A part that a run continues.
    struct Unfinished: Sendable {
        var name: PartName
        var recovery: PartRecovery
    }

    let path: String
    let format: PartFormat
    /// The start of the manifest that all shards have in common; nil if there is one shard, or nothing is known about it.
    let manifest: ManifestStart?
    private let shard: Int
    /// True if the shard of a row follows from its number.
    private let dividesByNumber: Bool
    private let lock: OpenFile
    private let settings: SharedSettings
    private let system: SystemCalls

    /// Creates and locks the folder of a job.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - manifest: The open manifest, which must begin like that of the first run; nil: not compared.
    ///   - planned: The whole manifest, as it was read to divide its rows by their hosts.
    ///   - form: How the rows are read; nil if none has been read.
    /// - Throws: `DownloadError`: `destinationBusy` if another process works on the shard, `notPossible` if an earlier
    ///   run had other settings, `fileFailed`.
    init(
        _ job: BatchJob, _ manifest: ManifestFile? = nil, planned: ManifestStart? = nil, form: RowForm? = nil,
        system: SystemCalls = .live
    ) throws(DownloadError) {
        (path, format, shard, self.system) = (job.folder, job.output, job.partShard, system)
        dividesByNumber = job.dividesByNumber
        try FolderMaker.make(job.folder)
        let lockPath = "\(job.folder)/.shard-\(shard).lock"
        lock = try fileCall { () throws(FileError) in try system.open(lockPath, .create) }
        guard try Self.locks(lock, system) else {
            throw DownloadError(
                .destinationBusy, "another process works on shard \(shard) in \(job.folder)")
        }
        settings = SharedSettings(job, system: system)
        self.manifest = try settings.agree(manifest, planned: planned, form: form)
    }

    /// Compares how the rows are read, which is known after the first ones, with other runs.
    ///
    /// Blocks.
    ///
    /// - Throws: As `SharedSettings.agree`.
    func agree(on form: RowForm) throws(DownloadError) { _ = try settings.agree(form: form) }

    /// Records the manifest that was read, so that other workers read the same one.
    ///
    /// Blocks.
    ///
    /// - Throws: As `SharedSettings.record`.
    func record(_ read: ManifestStart) throws(DownloadError) { try settings.record(read, after: manifest) }

    /// Locks a file, and returns true unless another process holds the lock for a second.
    ///
    /// A program that this process starts has the lock of an earlier run, too, until its execve(2).
    static func locks(_ file: OpenFile, _ system: SystemCalls) throws(DownloadError) -> Bool {
        for attempt in 0..<20 {
            if attempt > 0 { usleep(50_000) }
            if try fileCall({ () throws(FileError) in try system.lock(file) }) { return true }
        }
        return false
    }

    /// Returns the path of a part's file.
    func path(of name: PartName, _ kind: PartEntry.Kind, isFinal: Bool) -> String {
        "\(path)/\(PartEntry(name, kind, isFinal: isFinal).text)"
    }

    /// Returns the names in a folder.
    static func names(in folder: String) throws(DownloadError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw DownloadError(.fileFailed, "can't read the folder \(folder)", cause: "\(error)")
        }
    }

    /// Returns the content of a file; nil if it does not exist.
    static func contents(of path: String) throws(DownloadError) -> [UInt8]? {
        try fileCall { () throws(FileError) in
            let system = SystemCalls.live
            guard try system.status(atPath: path) != nil else { return nil }
            let file = try system.open(path, .read)
            return try read(file, at: 0, count: Int(try system.status(file).size), system)
        }
    }

    /// Returns bytes of a file, fewer only at its end.
    static func read(
        _ file: OpenFile, at offset: Int64, count: Int, _ system: SystemCalls = .live
    ) throws(FileError) -> [UInt8] {
        var failure: FileError?
        // Unsafe: at most the capacity is written, and only what was written becomes part of the array.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(FileError) {
                unsafe initialized = try system.read(file, into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

// MARK: - Recovery

extension OutputFolder {
    /// Returns the index of all results of the shard, and the unfinished parts with what of them is valid.
    ///
    /// Removes what a killed run has left behind a part's valid end. Blocks.
    func recover() throws(DownloadError) -> (index: RowIndex, unfinished: [Unfinished], next: Int) {
        let listing = PartListing(try Self.names(in: path), format: format, shard: shard)
        guard listing.damaged.isEmpty else {
            throw DownloadError(
                .notPossible,
                "\(path)/\(listing.damaged[0]): the file that belongs to it is missing: remove this one, too, and "
                    + "run haul batch again, which fetches the rows of the part again")
        }
        for name in listing.strays { try remove("\(path)/\(name)") }
        for name in listing.unnamed { try rename(name, .data(format)) }
        if !listing.unnamed.isEmpty { try fileCall { () throws(FileError) in try system.syncFolder(path) } }
        var index = RowIndex(usesNumbers: dividesByNumber)
        for name in (listing.finished + listing.unnamed).sorted() {
            let file = path(of: name, .results, isFinal: true)
            guard let bytes = try Self.contents(of: file) else { continue }
            try Self.lines(bytes, of: file) { index.record($0) }
        }
        var unfinished: [Unfinished] = []
        for name in listing.unfinished {
            let recovery = try recover(name)
            for line in recovery.lines { index.record(line) }
            unfinished.append(Unfinished(name: name, recovery: recovery))
        }
        return (index, unfinished, listing.next)
    }

    /// Reads the lines of complete results.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if one is invalid.
    static func lines(
        _ bytes: [UInt8], of path: String, readsFile: Bool = false, _ body: (ResultLine) -> Void
    ) throws(DownloadError) {
        var start = 0
        while start < bytes.count {
            guard let end = bytes[start...].firstIndex(of: 0x0A),
                let line = ResultLine(bytes[start..<end], readsFile: readsFile)
            else { throw DownloadError(.notPossible, "\(path) has an invalid line: it was changed or damaged") }
            body(line)
            start = end + 1
        }
    }

    /// Reads an unfinished part from the disk: its run may have been killed during a sync that failed, of which nobody learned, and the
    /// page cache would still have all of it.
    private func recover(_ name: PartName) throws(DownloadError) -> PartRecovery {
        try settle(name)
        let resultsPath = path(of: name, .results, isFinal: false)
        let dataPath = path(of: name, .data(format), isFinal: false)
        let results = try Self.contents(of: resultsPath) ?? []
        let recovery: PartRecovery
        switch format {
        case .tar:
            let tar = try fileCall { () throws(FileError) in try system.open(dataPath, .create) }
            let length = try fileCall { () throws(FileError) in try system.status(tar).size }
            recovery = PartRecovery(results: results, format: format, dataLength: length) { file, start in
                Self.digest(tar, at: file.offset ?? 0, count: file.bytes) == file.sha256
                    && Self.isEntry(tar, start, file)
            }
            if length != recovery.dataBytes {
                try fileCall { () throws(FileError) in try system.truncate(tar, size: recovery.dataBytes) }
            }
        case .files:
            recovery = PartRecovery(results: results, format: format, dataLength: 0) { file, _ in
                guard let saved = try? system.open("\(dataPath)/\(file.member)", .read),
                    (try? system.status(saved).size) == file.bytes,
                    let description = try? system.open("\(dataPath)/\(Self.description(of: file))", .read)
                else { return false }
                for each in [saved, description] { system.forgetCached(each) }
                return Self.digest(saved, at: 0, count: file.bytes) == file.sha256 && Self.isText(description)
            }
            try removeStrays(in: dataPath, besides: recovery.lines)
        }
        if results.count != recovery.resultBytes {
            try fileCall { () throws(FileError) in
                let file = try system.open(resultsPath, .create)
                try system.truncate(file, size: Int64(recovery.resultBytes))
            }
        }
        return recovery
    }

    /// Syncs an unfinished part, and makes reads of it come from the disk.
    ///
    /// If the sync fails, the part is removed, as in `OpenPart.publish`.
    private func settle(_ name: PartName) throws(DownloadError) {
        let data = path(of: name, .data(format), isFinal: false)
        let (files, isFolder) = try fileCall { () throws(FileError) in
            let results = try system.open(path(of: name, .results, isFinal: false), .create)
            switch format {
            case .tar: return ([results, try system.open(data, .create)], false)
            case .files: return ([results], try system.status(atPath: data) != nil)
            }
        }
        do throws(DownloadError) {
            try fileCall { () throws(FileError) in
                if isFolder { try system.syncFileSystem(of: data) }
                for file in files { try system.syncData(file) }
            }
        } catch {
            try? discard(name)
            throw error
        }
        for file in files { system.forgetCached(file) }
    }

    /// Returns true if a tar has, from an offset on, the headers of a file and its description, and the description.
    private static func isEntry(_ tar: OpenFile, _ start: Int64, _ file: ResultLine.File) -> Bool {
        var walk = TarWalk(at: start)
        var hasFile = false
        while walk.position < file.end ?? 0 {
            guard let block = try? read(tar, at: walk.position, count: TarHeader.block),
                let step = try? walk.read(block[...])
            else { return false }
            switch step {
            case .end: return false
            case .extend(let offset, let size):
                guard let records = try? read(tar, at: offset, count: Int(size)),
                    (try? walk.extend(records[...])) != nil
                else { return false }
            case .file(let name, let offset, let size) where !hasFile:
                guard name == file.member, offset == file.offset, size == file.bytes else { return false }
                hasFile = true
            case .file(_, let offset, let size):
                guard size <= longestDescription, let text = try? read(tar, at: offset, count: Int(size)),
                    !text.contains(0)
                else { return false }
            }
        }
        return hasFile && walk.position == file.end
    }

    /// A longer description is not read for the recovery.
    private static let longestDescription: Int64 = 64 << 20

    /// Returns the path of a file's description.
    private static func description(of file: ResultLine.File) -> String { file.member.prefix { $0 != "." } + ".json" }

    /// Returns true if a file has bytes, and none that JSON can't have: blocks that are not on disk read as zeros.
    private static func isText(_ file: OpenFile) -> Bool {
        guard let size = try? SystemCalls.live.status(file).size, size > 0, size <= longestDescription,
            let bytes = try? read(file, at: 0, count: Int(size))
        else { return false }
        return !bytes.contains(0)
    }

    /// Returns the SHA-256 of bytes of a file; nil if they can't be read.
    static func digest(_ file: OpenFile, at offset: Int64, count: Int64) -> String? {
        var digest = StreamingDigest(.sha256)
        var (offset, left) = (offset, count)
        while left > 0 {
            guard let bytes = try? read(file, at: offset, count: Int(min(left, 1 << 20))), !bytes.isEmpty else {
                return nil
            }
            // Safe: the bytes of an array of integers are initialised, and it outlives the call.
            digest.update(unsafe bytes.span.bytes)
            offset += Int64(bytes.count)
            left -= Int64(bytes.count)
        }
        return digest.finalize()
    }

    private func removeStrays(in folder: String, besides lines: [ResultLine]) throws(DownloadError) {
        var kept: Set<String> = []
        for case let file? in lines.map(\.file) {
            kept.insert(file.member)
            kept.insert(Self.description(of: file))
        }
        guard try fileCall({ () throws(FileError) in try system.status(atPath: folder) }) != nil else { return }
        for name in try Self.names(in: folder) {
            for file in try Self.names(in: "\(folder)/\(name)") where !kept.contains("\(name)/\(file)") {
                try remove("\(folder)/\(name)/\(file)")
            }
        }
    }

    /// Removes an unfinished part.
    func discard(_ name: PartName) throws(DownloadError) {
        // The results first: the next run removes data without them.
        try remove(path(of: name, .results, isFinal: false))
        try remove(path(of: name, .data(format), isFinal: false))
    }

    private func remove(_ path: String) throws(DownloadError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw DownloadError(.fileFailed, "can't remove \(path)", cause: "\(error)")
        }
    }

    /// Gives a file of a part its final name.
    func rename(_ name: PartName, _ kind: PartEntry.Kind) throws(DownloadError) {
        let (from, to) = (path(of: name, kind, isFinal: false), path(of: name, kind, isFinal: true))
        try fileCall { () throws(FileError) in try system.rename(from, to: to) }
    }
}

package import HaulCore
import HaulLibC
import Synchronization

/// An unfinished file of another program that is to become Haul's partial file.
///
/// It is only read until `adopt`, which renames it. If the process is killed at any time, the file exists either under
/// its own name with its control file, or as a partial file of Haul that its journal describes.
package final class ForeignFile: Sendable {
    /// The status of the file when it was opened.
    package let status: FileStatus
    private let path: String
    private let data: OpenFile
    private let system: SystemCalls

    /// The reason why a file is not adopted.
    package enum Fault: Error, Hashable, Sendable {
        /// The file must not be used, for this reason: a clause for people.
        case refused(String)
        /// A system call failed.
        case failed(FileError)
    }

    /// Opens the file for reading and takes the lock that keeps other downloads of Haul away.
    package init(_ path: String, system: SystemCalls = .live) throws(Fault) {
        let (data, status, isLocked) = try Self.call { () throws(FileError) in
            let file = try system.open(path, .read)
            let status = try system.status(file)
            return (file, status, status.kind == .regular ? try system.lock(file) : false)
        }
        guard status.kind == .regular else { throw .refused("it is a \(status.kind.rawValue)") }
        guard isLocked else { throw .refused("another download of Haul is using it") }
        (self.path, self.data, self.status, self.system) = (path, data, status, system)
        try requireUntouched()
    }

    deinit { data.close() }

    /// Throws an error if a file, in a folder such as `/tmp`, belongs to another user.
    package static func requireOwn(_ path: String, system: SystemCalls) throws(Fault) {
        let isOwn = try call { () throws(FileError) in
            guard let status = try system.status(atPath: path) else { return true }
            return try !PartialFile.isOfStranger(status, PartialNames(final: path).folder, system)
        }
        guard isOwn else { throw .refused("it belongs to another user") }
    }

    /// Returns the first byte of a range that was never written, or its end.
    package func firstHole(in stretch: ByteRange) throws(Fault) -> Int64 {
        try Self.call { () throws(FileError) in try system.firstHole(data, in: stretch) }
    }

    /// Makes the file the partial file of a download, once its bytes are verified.
    ///
    /// In this order: the bytes are synced; a journal that describes this very file is put in place and synced; only
    /// then is the file renamed, and finally its control file is removed. The journal does not contain the total size,
    /// so that it also describes a file that has not been extended to it yet.
    ///
    /// - Parameters:
    ///   - names: The paths of the partial file, which may be missing, empty, or this very file.
    ///   - control: The control file of the other program, to be removed; or nil.
    ///   - segments: The segments of the file and their progress.
    package func adopt(
        as names: PartialNames, sourceID: String, control: String?, etag: String?, lastModified: String?,
        provenance: Provenance, segments: [ResumedSegment]
    ) throws(Fault) {
        let hasName = path == names.partial
        let place = hasName ? nil : try emptyPlace(names, sourceID: sourceID)
        var hasJournal = false
        do throws(Fault) {
            try requireUntouched()
            try Self.call { () throws(FileError) in
                try system.syncData(data)
                var header = JournalHeader(
                    nonce: .random(in: 0 ... .max), sourceID: sourceID, totalBytes: nil, etag: etag,
                    lastModified: lastModified, bootID: system.bootID(), mountID: status.mountID,
                    partial: status.identity)
                header.provenance = provenance
                let slots = segments.map { JournalSlot(start: $0.start, written: $0.position, durable: $0.position) }
                try Journal(header: header, slots: slots).replace(in: names, system)
                hasJournal = true
                try system.syncFolder(names.dataFolder)
            }
            // The last check while the file still belongs only to its owner.
            try requireUntouched()
            if !hasName { try Self.call { () throws(FileError) in try system.rename(path, to: names.partial) } }
        } catch {
            if hasName || hasJournal { try? system.unlink(names.journal) }
            // Removes what it made; under the partial's name, only its own empty file.
            try? place?.discard(all: true)
            throw error
        }
        place?.letGo()
        data.close()
        try Self.call { () throws(FileError) in
            try system.syncFolder(names.dataFolder)
            if names.folder != names.dataFolder { try system.syncFolder(names.folder) }
            if let control { try system.unlink(control) }
        }
    }

    /// Locks the place of the partial file, which must be free or hold an empty file.
    private func emptyPlace(_ names: PartialNames, sourceID: String) throws(Fault) -> PartialFile {
        let place: PartialFile
        do throws(DownloadError) {
            place = try PartialFile.open(names, sourceID: sourceID, resumes: true, system: system)
        } catch {
            throw .refused(error.message)
        }
        guard place.openedBytes == 0 else {
            place.close()
            throw .refused("\(names.partial) exists")
        }
        return place
    }

    /// Checks that the file is still the one that was opened, unchanged, with one name, and not open for writing
    /// anywhere.
    private func requireUntouched() throws(Fault) {
        let (now, named, hasWriters) = try Self.call { () throws(FileError) in
            (try system.status(data), try system.status(atPath: path), try system.hasWriters(data))
        }
        guard hasWriters != true else { throw .refused("another program has it open for writing") }
        guard now.links == 1 else { throw .refused("it has a second name (hard link)") }
        guard let named, named.isSameFile(as: status), now.size == status.size, now.modified == status.modified else {
            throw .refused("another program has changed it")
        }
    }

    private static func call<Value>(_ body: () throws(FileError) -> Value) throws(Fault) -> Value {
        do throws(FileError) {
            return try body()
        } catch {
            throw .failed(error)
        }
    }
}

/// Stored bytes that others can be compared with.
package protocol ComparableBytes: Sendable {
    /// Returns true if exactly these bytes are stored at an offset.
    func holds(_ bytes: RawSpan, at offset: Int64) throws(FileError) -> Bool
}

extension PartialFile: ComparableBytes {
    /// Returns true if the file has exactly these bytes at an offset.
    package func holds(_ bytes: RawSpan, at offset: Int64) throws(FileError) -> Bool {
        try system.holds(data, bytes, at: offset)
    }
}

extension ForeignFile: ComparableBytes {
    /// Returns true if the file has exactly these bytes at an offset.
    package func holds(_ bytes: RawSpan, at offset: Int64) throws(FileError) -> Bool {
        try system.holds(data, bytes, at: offset)
    }
}

extension SystemCalls {
    /// Returns true if an open file has exactly these bytes at an offset.
    fileprivate func holds(_ file: OpenFile, _ bytes: RawSpan, at offset: Int64) throws(FileError) -> Bool {
        var there = [UInt8](repeating: 0, count: bytes.byteCount)
        var span = there.mutableSpan
        // Safe: the buffers are valid for their whole closures, and both are exactly as long as `there`.
        let count = try unsafe span.withUnsafeMutableBytes { buffer throws(FileError) in
            unsafe try read(file, into: buffer, at: offset)
        }
        guard count == there.count else { return false }
        return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(there) }
    }
}

/// The control files of other programs.
package enum ForeignControl {
    /// The extension of aria2's control files.
    package static let aria2Ending = ".aria2"
    /// The extension of axel's state files.
    package static let axelEnding = ".st"

    /// Returns the control files beside a path, or nil.
    ///
    /// A text file under axel's extension is source code rather than a state file, and is ignored.
    package static func beside(
        _ path: String, system: SystemCalls
    ) throws(FileError) -> (aria2: [UInt8]?, axel: [UInt8]?) {
        let axel = try bytes(path + axelEnding, limit: AxelStateFile.byteLimit + 1, system: system)
        return (
            try bytes(path + aria2Ending, limit: Aria2ControlFile.byteLimit + 1, system: system),
            axel.flatMap { $0.isEmpty || $0.contains(0) ? $0 : nil }
        )
    }

    /// Returns the current control files beside a path, by path.
    ///
    /// Other files with such a name belong to the user: they are not among them.
    static func seen(beside path: String, system: SystemCalls) -> [String: ReplaceableFile] {
        guard let found = try? beside(path, system: system) else { return [:] }
        var result: [String: ReplaceableFile] = [:]
        let isAria2 = found.aria2.map { Aria2ControlFile(decoding: $0) != nil } ?? false
        let isAxel = found.axel.map { AxelStateFile(decoding: $0) != nil } ?? false
        for (ending, isControl) in [(aria2Ending, isAria2), (axelEnding, isAxel)] where isControl {
            result[path + ending] = (try? system.status(atPath: path + ending)).flatMap(\.self).map {
                ReplaceableFile($0)
            }
        }
        return result
    }

    /// Returns the first bytes of a control file, or nil if it is missing or not a regular file.
    package static func bytes(_ path: String, limit: Int, system: SystemCalls) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            guard let status = try system.status(atPath: path), status.kind == .regular else { return nil }
        } catch {
            // The name of a control file would be longer than a name may be.
            guard error.code == ENAMETOOLONG else { throw error }
            return nil
        }
        return try PartialFile.contents(path, limit: limit, system)
    }

    /// Removes a control file whose file no longer exists.
    package static func remove(_ path: String, system: SystemCalls) throws(FileError) { try system.unlink(path) }
}

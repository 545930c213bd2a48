import HaulBatch
import HaulCore
import HaulEngine
import HaulFiles
import HaulLibC

/// An unfinished part with its open files.
///
/// All calls block.
///
/// Results are written after the bytes that they describe, so a result is never there without its file. A part gets its
/// final name when all of it is on disk.
struct OpenPart {
    private(set) var draft: PartDraft
    private let folder: OutputFolder
    private let system: SystemCalls
    /// The tar; nil for a folder.
    private let tar: OpenFile?
    private let results: OpenFile
    private var resultEnd: Int64
    /// Bytes of the tar that are not written yet, and their offset.
    private var waiting: [UInt8] = []
    private var waitingStart: Int64
    /// Results whose bytes are waiting.
    private var lines: [UInt8] = []
    private var folders: Set<String> = []

    /// The number of bytes that are collected for one write.
    private static let flushBytes = 1 << 20

    /// Creates a part, or continues one.
    init(
        _ name: PartName, in folder: OutputFolder, recovery: PartRecovery? = nil, modified: Int64,
        system: SystemCalls = .live
    ) throws(DownloadError) {
        (self.folder, self.system) = (folder, system)
        draft = PartDraft(name, folder.format, modified: modified)
        if let recovery { draft.resume(recovery.lines) }
        (waitingStart, resultEnd) = (recovery?.dataBytes ?? 0, Int64(recovery?.resultBytes ?? 0))
        let data = folder.path(of: name, .data(folder.format), isFinal: false)
        // The data first: without results, it is removed by the next run.
        switch folder.format {
        case .tar: tar = try fileCall { () throws(FileError) in try system.open(data, .create) }
        case .files:
            tar = nil
            try FolderMaker.make(data)
        }
        let path = folder.path(of: name, .results, isFinal: false)
        results = try fileCall { () throws(FileError) in try system.open(path, .create) }
    }

    /// Adds a row.
    mutating func add(_ row: FetchedRow) throws(DownloadError) {
        var result = row.result
        guard let content = row.content else {
            draft.add(result)
            result.write(to: &lines)
            return
        }
        let placement = draft.place(&result, key: row.key, ending: row.ending)
        try fileCall { () throws(FileError) in
            if let tar {
                try add(content, placement, size: result.bytes ?? 0, to: tar)
            } else {
                try save(content, placement, result)
            }
        }
        result.write(to: &lines)
        if waiting.count >= Self.flushBytes { try flush() }
    }

    private mutating func add(
        _ content: RowContent, _ placement: PartDraft.Placement, size: Int64, to tar: OpenFile
    ) throws(FileError) {
        waiting += placement.head
        switch content {
        case .memory(let bytes): waiting += bytes
        case .file(let file):
            try flushData()
            try copy(file, size: size, to: tar, at: waitingStart)
            waitingStart += size
        }
        waiting += placement.tail
    }

    private func copy(_ source: OpenFile, size: Int64, to target: OpenFile, at start: Int64) throws(FileError) {
        var offset: Int64 = 0
        while offset < size {
            let bytes = try OutputFolder.read(source, at: offset, count: Int(min(1 << 20, size - offset)), system)
            guard !bytes.isEmpty else { throw FileError(.pread, source.path, EIO) }
            // Safe: the bytes of an array of integers are initialised, and it outlives the call.
            try system.write(target, unsafe bytes.span.bytes, at: start + offset)
            offset += Int64(bytes.count)
        }
    }

    private mutating func save(
        _ content: RowContent, _ placement: PartDraft.Placement, _ result: RowResult
    ) throws(FileError) {
        let data = folder.path(of: draft.name, .data(.files), isFinal: false)
        guard let member = result.member, let description = placement.description, let name = placement.folder else {
            return
        }
        if !folders.contains(name) {
            do throws(DownloadError) { try FolderMaker.make("\(data)/\(name)") } catch {
                throw FileError(.open, "\(data)/\(name)", EIO)
            }
            folders.insert(name)
        }
        let file = try system.open("\(data)/\(member)", .createEmpty)
        switch content {
        // Safe, here and below: the bytes of an array of integers are initialised, and it outlives the call.
        case .memory(let bytes): try system.write(file, unsafe bytes.span.bytes, at: 0)
        case .file(let source): try copy(source, size: result.bytes ?? 0, to: file, at: 0)
        }
        let other = try system.open("\(data)/\(description)", .createEmpty)
        try system.write(other, unsafe placement.tail.span.bytes, at: 0)
    }

    private mutating func flushData() throws(FileError) {
        guard let tar, !waiting.isEmpty else { return }
        // Safe: the bytes of an array of integers are initialised, and it outlives the call.
        try system.write(tar, unsafe waiting.span.bytes, at: waitingStart)
        system.startWriting(tar, at: waitingStart, count: Int64(waiting.count))
        waitingStart += Int64(waiting.count)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Writes all rows so far: first the data, then the results.
    mutating func flush() throws(DownloadError) {
        try fileCall { () throws(FileError) in
            try flushData()
            guard !lines.isEmpty else { return }
            // Safe: the bytes of an array of integers are initialised, and it outlives the call.
            try system.write(results, unsafe lines.span.bytes, at: resultEnd)
            resultEnd += Int64(lines.count)
            lines.removeAll(keepingCapacity: true)
        }
    }

    /// Ends the part: writes it to disk and gives it its final name.
    ///
    /// Results are renamed before data, so that data under a final name always has its results. A run that is killed
    /// between the two is completed by the next one.
    ///
    /// If a sync fails, the part is removed, and its rows are fetched again: the system may have dropped what it could not
    /// write, while reads still return it for a while.
    mutating func publish() throws(DownloadError) {
        if tar != nil { waiting += TarHeader.end }
        try flush()
        let data = folder.path(of: draft.name, .data(folder.format), isFinal: false)
        do throws(DownloadError) {
            try fileCall { () throws(FileError) in
                if let tar { try system.sync(tar) } else { try system.syncFileSystem(of: data) }
                try system.sync(results)
            }
        } catch {
            try? folder.discard(draft.name)
            throw error
        }
        try folder.rename(draft.name, .results)
        try folder.rename(draft.name, .data(folder.format))
        try fileCall { () throws(FileError) in try system.syncFolder(folder.path) }
    }
}

import HaulBatch
import HaulCore
import HaulFiles
import HaulLibC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings that all workers of a folder have in common, in its `batch.json`.
///
/// The first run writes them. If the rows have several shards, they include the longest manifest that a worker has read:
/// each one must begin like it, so the rows that workers have divided are the same ones.
struct SharedSettings: Sendable {
    private static let attempts = 40

    private let folder: String
    private let job: BatchJob
    private let system: SystemCalls

    /// Creates the settings for a job; nothing is read.
    init(_ job: BatchJob, system: SystemCalls = .live) {
        (folder, self.job, self.system) = (job.folder, job, system)
    }

    /// Returns the settings of a folder; nil if no run has used it.
    static func read(_ folder: String) throws(DownloadError) -> BatchSettings? {
        guard let bytes = try OutputFolder.contents(of: "\(folder)/\(BatchSettings.fileName)") else { return nil }
        guard let settings = try? JSONDecoder().decode(BatchSettings.self, from: Data(bytes)) else {
            throw DownloadError(.notPossible, "\(folder)/\(BatchSettings.fileName) is not a file of haul batch")
        }
        return settings
    }

    /// Writes the settings, or compares them with those of earlier runs.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - manifest: The open manifest; nil: not compared.
    ///   - planned: The whole manifest, as it was read to divide its rows by their hosts.
    ///   - form: The way the rows are read; nil if none has been read.
    /// - Returns: How the rows that are read must begin; nil if nothing is known about that.
    func agree(
        _ manifest: ManifestFile? = nil, planned: ManifestStart? = nil, form: RowForm? = nil
    ) throws(DownloadError) -> ManifestStart? {
        var whole = planned
        for _ in 0..<Self.attempts {
            let earlier = try Self.read(folder)
            var settings = settings
            settings.idColumn = form?.idColumn
            if hasDivision {
                settings.manifestFormat = form?.format.rawValue
                // Rows that are added at the end change nothing for those before them, unless hosts are counted.
                let known = job.dividesByNumber ? earlier?.manifest?.bytes : nil
                if planned == nil, whole == nil || known != nil, let manifest {
                    (settings.manifest, whole) = try manifest.starts(known)
                } else {
                    settings.manifest = whole
                }
            }
            if let earlier, let conflict = settings.conflict(with: earlier) {
                throw DownloadError(.notPossible, "\(folder): \(conflict)")
            }
            settings.manifest = whole ?? earlier?.manifest
            settings.idColumn = settings.idColumn ?? earlier?.idColumn
            settings.manifestFormat = settings.manifestFormat ?? earlier?.manifestFormat
            settings.urlColumn = settings.urlColumn ?? earlier?.urlColumn
            if settings == earlier { return settings.manifest }
            if try replace(earlier, with: settings) { return settings.manifest }
        }
        throw busy
    }

    /// Records the manifest that was read, if it is longer than was known, or was a pipe.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - read: What was read.
    ///   - expected: How it had to begin.
    /// - Throws: `DownloadError` with code `notPossible` if another worker has meanwhile read other rows.
    func record(_ read: ManifestStart, after expected: ManifestStart?) throws(DownloadError) {
        guard hasDivision, read != expected else { return }
        guard job.dividesByNumber else {
            throw DownloadError(
                .notPossible,
                "\(folder): rows were added to the manifest while it was read, and may be missing: use a new folder")
        }
        for _ in 0..<Self.attempts {
            let earlier = try Self.read(folder)
            if earlier?.manifest == read { return }
            guard var settings = earlier, settings.manifest == expected else {
                throw DownloadError(
                    .notPossible,
                    "\(folder): another worker has read other rows meanwhile: run haul batch again, which compares them"
                )
            }
            settings.manifest = read
            if try replace(earlier, with: settings) { return }
        }
        throw busy
    }

    /// True if the rows are divided here, among several shards.
    private var hasDivision: Bool { job.shardName == nil && job.shard.count > 1 }

    private var settings: BatchSettings {
        guard job.shardName == nil else { return BatchSettings(namedShards: job.output) }
        return BatchSettings(
            shards: job.shard.count, shardBy: job.division.rawValue, format: job.output,
            perHost: job.needsPlan ? job.perHost : nil, manifest: nil,
            urlColumn: job.needsPlan ? job.columns.url : nil)
    }

    private var busy: DownloadError {
        DownloadError(.destinationBusy, "other workers change \(folder)/\(BatchSettings.fileName): try again")
    }

    /// Writes settings in place of others; returns false if there are other ones meanwhile.
    private func replace(_ earlier: BatchSettings?, with new: BatchSettings) throws(DownloadError) -> Bool {
        let final = "\(folder)/\(BatchSettings.fileName)"
        let temporary = "\(folder)/.\(BatchSettings.fileName).\(job.partShard)"
        guard earlier != nil else {
            // Listed before the settings are read, because another worker writes them before its first part.
            let names = try OutputFolder.names(in: folder)
            guard try Self.read(folder) == nil else { return false }
            // Without settings, no run has used the folder: these files are somebody else's, and would be removed.
            if let foreign = names.sorted().first(where: { $0.hasPrefix("part-") }) {
                throw DownloadError(
                    .notPossible,
                    "\(folder)/\(foreign) has the name of a part, but no batch wrote it: choose another folder")
            }
            try write(new, temporary)
            do throws(FileError) {
                try system.rename(temporary, withoutReplacing: final)
                return true
            } catch {
                guard error.code == EEXIST else { throw error.downloadError }
            }
            try fileCall { () throws(FileError) in try system.unlink(temporary) }
            return false
        }
        let lock = try fileCall { () throws(FileError) in try system.open("\(folder)/.batch.lock", .create) }
        guard try OutputFolder.locks(lock, system), try Self.read(folder) == earlier else { return false }
        try write(new, temporary)
        try fileCall { () throws(FileError) in try system.rename(temporary, to: final) }
        return true
    }

    private func write(_ settings: BatchSettings, _ path: String) throws(DownloadError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(settings) else {
            throw DownloadError(.internal, "the settings can't be encoded")
        }
        try fileCall { () throws(FileError) in
            let file = try system.open(path, .createEmpty)
            // Safe: the bytes of an array of integers are initialised, and it outlives the call.
            try system.write(file, unsafe (Array(data) + [0x0A]).span.bytes, at: 0)
            try system.sync(file)
        }
    }
}

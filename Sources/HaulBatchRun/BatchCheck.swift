package import HaulBatch
package import HaulCore
import HaulEngine
import HaulFiles

/// Compares a folder with its manifest: every row has a result, and every result its file.
package struct BatchCheck: Sendable {
    private let job: BatchJob
    private let isDeep: Bool
    private let system = SystemCalls.live

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - job: The manifest, its columns, the folder, and the shard; the whole manifest means all shards.
    ///   - isDeep: True to compute the digests of all files.
    package init(_ job: BatchJob, isDeep: Bool) { (self.job, self.isDeep) = (job, isDeep) }

    /// Runs the check.
    ///
    /// - Throws: `DownloadError` if the manifest or the folder can't be read.
    package func run() async throws(DownloadError) -> BatchAccounts {
        guard let settings = try SharedSettings.read(job.folder),
            let format = PartFormat(rawValue: settings.format)
        else {
            throw DownloadError(.notPossible, "\(job.folder) has no \(BatchSettings.fileName): no run has used it")
        }
        let isAll = job.shard == .whole
        guard isAll || settings.shards == job.shard.count else {
            throw DownloadError(.notPossible, "the run into \(job.folder) had \(settings.division)")
        }
        var job = job
        // As the runs did, unless it is named. Later rows of JSON lines may have ids although the first one has none.
        if !job.columns.requiresID, let column = settings.idColumn, !column.isEmpty { job.columns.id = column }
        let rows = try ManifestRows(job)
        let divided = try await dividedJob(settings, rows.file)
        var accounts = try await BlockingQueue(label: "haul.check").call { () throws(DownloadError) in
            var accounts = BatchAccounts(knowsShards: divided != nil)
            try parts(format, into: &accounts)
            return accounts
        }
        var filter = ShardFilter(byRow: divided?.shard ?? .whole, perHost: job.perHost)
        if let divided, divided.needsPlan {
            filter = ShardFilter(divided.shard, by: try await BatchRun.plan(divided), perHost: divided.perHost)
        }
        try await compare(rows, filter, &accounts, only: isAll ? nil : job.shard.index)
        return accounts
    }

    /// Returns the job with the division of the runs; nil if the shards of rows can't be known.
    private func dividedJob(_ settings: BatchSettings, _ file: ManifestFile) async throws(DownloadError) -> BatchJob? {
        guard let division = BatchJob.Division(rawValue: settings.shardBy),
            let shard = Shard(job.shard.index, of: settings.shards)
        else { return nil }
        var divided = job
        (divided.shard, divided.division) = (shard, division)
        divided.perHost = settings.perHost ?? job.perHost
        // The plan of the whole manifest: of one that has changed, or is read only once, there is another one, or none.
        guard divided.needsPlan, job.shard == .whole else { return divided }
        let manifest = try await BlockingQueue(label: "haul.check").call { () throws(DownloadError) in try file.start()
        }
        return manifest != nil && manifest == settings.manifest ? divided : nil
    }

    private func compare(
        _ manifest: ManifestRows, _ filter: ShardFilter, _ accounts: inout BatchAccounts, only shard: Int?
    ) async throws(DownloadError) {
        var (rows, filter) = (manifest, filter)
        while let portion = try await rows.next() {
            for row in portion {
                let home = filter.piece(of: BatchRow(row).host, row: row.number).shard
                if shard == nil || shard == home { accounts.add(row, shard: home) }
            }
        }
        accounts.finish()
    }

    private static let again = "and run haul batch again"

    private func parts(_ format: PartFormat, into accounts: inout BatchAccounts) throws(DownloadError) {
        let shard = job.shard == .whole ? nil : job.shard.index
        let listing = PartListing(try OutputFolder.names(in: job.folder), format: format, shard: shard)
        for name in listing.damaged {
            accounts.report("\(name): the file that belongs to it is missing: remove this one, too, \(Self.again)")
        }
        for name in listing.unfinished + listing.unnamed {
            accounts.report("\(name.text): not complete: run haul batch again")
        }
        for name in listing.finished {
            let path = "\(job.folder)/" + PartEntry(name, .results, isFinal: true).text
            let data = "\(job.folder)/" + PartEntry(name, .data(format), isFinal: true).text
            guard let bytes = try OutputFolder.contents(of: path) else { continue }
            var files: [ResultLine.File] = []
            do throws(DownloadError) {
                try OutputFolder.lines(bytes, of: path, readsFile: true) { line in
                    accounts.add(line, part: name)
                    if let file = line.file { files.append(file) }
                }
            } catch {
                accounts.report(error.message)
            }
            do throws(FileError) {
                if let problem = try problem(of: data, format, files) {
                    accounts.report("\(data): \(problem): remove it and its results, \(Self.again)")
                }
            } catch {
                accounts.report(error.downloadError.description)
            }
        }
    }

    private func problem(of path: String, _ format: PartFormat, _ files: [ResultLine.File]) throws(FileError) -> String?
    {
        // Two rows with one key would be one sample, or overwrite each other.
        var keys: Set<String> = []
        for file in files {
            let key = PartDraft.key(of: file.member)
            guard keys.insert(key).inserted else { return "two rows have the name \(key)" }
        }
        switch format {
        case .tar:
            let tar = try system.open(path, .read)
            if let problem = try walk(tar, files) { return problem }
            guard isDeep else { return nil }
            for file in files where OutputFolder.digest(tar, at: file.offset ?? 0, count: file.bytes) != file.sha256 {
                return "\(file.member) has a wrong digest"
            }
        case .files:
            for file in files {
                guard let status = try system.status(atPath: "\(path)/\(file.member)") else {
                    return "\(file.member) is missing"
                }
                guard status.size == file.bytes else { return "\(file.member) has a wrong size" }
                guard isDeep else { continue }
                let saved = try system.open("\(path)/\(file.member)", .read)
                guard OutputFolder.digest(saved, at: 0, count: file.bytes) == file.sha256 else {
                    return "\(file.member) has a wrong digest"
                }
            }
        }
        return nil
    }

    /// Reads all headers of a tar, and compares its files with the results.
    private func walk(_ tar: OpenFile, _ files: [ResultLine.File]) throws(FileError) -> String? {
        var walk = TarWalk()
        var expected = files[...]
        var names: Set<String> = []
        while true {
            let block = try OutputFolder.read(tar, at: walk.position, count: TarHeader.block)
            do throws(TarWalk.Fault) {
                switch try walk.read(block[...]) {
                case .extend(let offset, let size):
                    try walk.extend((try? OutputFolder.read(tar, at: offset, count: Int(size)))?[...] ?? [])
                case .file(let name, let offset, let size):
                    guard names.insert(name).inserted else { return "\(name) is in it twice" }
                    guard let next = expected.first, next.offset == offset else {
                        if name.hasSuffix(".json") { continue }
                        return "\(name) has no result"
                    }
                    guard next.member == name, next.bytes == size else { return "\(name) is not \(next.member)" }
                    expected = expected.dropFirst()
                case .end:
                    if let lost = expected.first { return "\(lost.member) is missing" }
                    let size = try? system.status(tar).size
                    return size == walk.position + Int64(TarHeader.end.count) ? nil : "it has data after its end"
                }
            } catch {
                return error.problem
            }
        }
    }
}

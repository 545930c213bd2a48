import Foundation
import HaulBatch
import HaulCore
import HaulDigest
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulBatchRun

@Suite("Settings that the workers of a folder have in common", .usesSockets, .timeLimit(.minutes(5)))
struct SharedSettingsTests {
    /// One shard has run: another one that reads other rows is refused before it fetches anything.
    @Test("all shards need the same manifest; by row, it may have grown", arguments: BatchJob.Division.allCases)
    func anotherManifest(division: BatchJob.Division) async throws {
        try await BatchTrial.run(BatchTrial.files(6)) { trial in
            func run(_ index: Int, _ files: [Int]) async throws -> BatchTally {
                try trial.write(files.map { trial.server.url("/f\($0)") })
                return try await trial.run {
                    $0.shard = Shard(index, of: 2) ?? .whole
                    $0.division = division
                }
            }
            let rows = [0, 1, 2, 3]
            var ok = try await run(0, rows).ok
            for changed in [[1, 0, 2, 3], [4, 1, 2, 3], [0, 1, 2], [5, 0, 1, 2, 3]] {
                for index in 0..<2 {
                    let error = await #expect(throws: DownloadError.self) { try await run(index, changed) }
                    #expect(error?.code == .notPossible && error?.message.contains("manifest has changed") == true)
                }
            }
            ok += try await run(1, rows).ok
            #expect(ok == 4)
            #expect(try await trial.check().areComplete)
            guard division == .row else {
                await #expect(throws: DownloadError.self) { try await run(0, rows + [4, 5]) }
                return
            }
            for index in 0..<2 { #expect(try await run(index, rows + [4, 5]).ok == 1) }
            #expect(try await trial.check().areComplete)
        }
    }

    /// Another column would give each row a second result and a second file.
    @Test("rows are known by the same column in all runs, and a check needs no option for it", arguments: [1, 2])
    func columns(shards: Int) async throws {
        try await BatchTrial.run(BatchTrial.files(4)) { trial async throws in
            let names = ["id", "sku", "other"]
            let lines = (0..<4).map { row in
                "{" + names.dropFirst().map { "\"\($0)\":\"\($0)\(row)\"," }.joined()
                    + "\"url\":\"\(trial.server.url("/f\(row)"))\"}\n"
            }
            func write(_ lines: [String]) throws {
                try lines.joined().write(toFile: trial.manifest, atomically: true, encoding: .utf8)
            }
            func run(_ columns: ManifestColumns, _ folder: String) async throws -> BatchTally {
                try await trial.run {
                    ($0.columns, $0.folder) = (columns, trial.folder.path(folder))
                    ($0.shard, $0.division) = (Shard(0, of: shards) ?? .whole, .row)
                }
            }
            func fails(_ columns: ManifestColumns, _ folder: String) async {
                let error = await #expect(throws: DownloadError.self) { try await run(columns, folder) }
                #expect(error?.code == .notPossible, "\(String(describing: error))")
            }
            try write(lines)
            let sku = ManifestColumns(id: "sku", requiresID: true)
            #expect(try await run(sku, "out").ok == 4 / shards)
            await fails(ManifestColumns(), "out")
            await fails(ManifestColumns(id: "other", requiresID: true), "out")
            #expect(try await run(sku, "out").rows == 0)
            if shards == 1 { #expect(try await trial.check().areComplete) }
            #expect(try await run(ManifestColumns(), "numbers").ok == 4 / shards)
            await fails(sku, "numbers")
            // A column with the default name was added, without another change.
            try write(lines.map { $0.replacing("other", with: "id") })
            await fails(ManifestColumns(), "numbers")
        }
    }

    /// The bytes of the manifest do not decide alone which rows it has, and where they go.
    @Test("workers read the manifest in the same format, and its hosts from the same column")
    func forms() async throws {
        try await BatchTrial.run(BatchTrial.files(2)) { trial async throws in
            let (a, b) = (trial.server.url("/f0"), trial.server.url("/f1"))
            try "url,alt\n\(a),\(b)\n\(b),\(a)\n".write(toFile: trial.manifest, atomically: true, encoding: .utf8)
            func run(_ index: Int, _ format: ManifestFormat, _ column: String, _ division: BatchJob.Division)
                async throws
            {
                try await trial.run {
                    ($0.shard, $0.division, $0.format) = (Shard(index, of: 2) ?? .whole, division, format)
                    $0.columns = ManifestColumns(url: column)
                    $0.folder = trial.folder.path("\(division)")
                }
            }
            for division in BatchJob.Division.allCases {
                try await run(0, .csv, "url", division)
                let list = await #expect(throws: DownloadError.self) { try await run(1, .list, "url", division) }
                #expect(list?.message.contains("as csv") == true)
                try await run(1, .csv, "url", division)
            }
            let other = await #expect(throws: DownloadError.self) { try await run(1, .csv, "alt", .host) }
            #expect(other?.message.contains("--url-column url") == true)
        }
    }

    /// A manifest may only grow: what one worker has read is the start of what another one reads.
    @Test("by row, all shards read the longest manifest so far; one from a pipe is compared at its end")
    func grownManifests() async throws {
        try await BatchTrial.run(BatchTrial.files(8)) { trial async throws in
            func run(_ index: Int, _ files: [Int]) async throws -> BatchTally {
                try trial.write(files.map { trial.server.url("/f\($0)") })
                return try await trial.run {
                    ($0.shard, $0.division) = (Shard(index, of: 2) ?? .whole, .row)
                }
            }
            func fails(_ index: Int, _ files: [Int]) async {
                let error = await #expect(throws: DownloadError.self) { try await run(index, files) }
                #expect(error?.code == .notPossible && error?.message.contains("manifest has changed") == true)
            }
            #expect(try await run(0, [0, 1]).ok == 1)
            #expect(try await run(1, [0, 1, 2, 3]).ok == 2)
            // Others were added, or fewer than another worker has read.
            await fails(0, [0, 1, 4, 2, 3])
            await fails(0, [0, 1])
            #expect(try await run(0, [0, 1, 2, 3, 4, 5]).ok == 2)
            #expect(try await run(1, [0, 1, 2, 3, 4, 5]).ok == 1)
            #expect(try await trial.check().areComplete)
        }
    }

    /// What the workers of pipes have read is known only at the end.
    @Test("what was read is recorded, if it is longer than was known, and nobody has read other rows")
    func recordedManifests() throws {
        let folder = try TemporaryFolder()
        var job = BatchJob(
            manifest: "-", folder: folder.path, template: DownloadSpec(url: "", destination: .folder(path: ".")))
        (job.shard, job.division) = (Shard(0, of: 2) ?? .whole, .row)
        let settings = SharedSettings(job)
        func start(_ text: String) -> ManifestStart {
            ManifestStart(bytes: Int64(text.utf8.count), sha256: StreamingDigest.sha256(of: text))
        }
        #expect(try settings.agree(nil, planned: nil) == nil)
        try settings.record(start("ab"), after: nil)
        #expect(try settings.agree(nil, planned: nil) == start("ab"))
        try settings.record(start("abc"), after: start("ab"))
        try settings.record(start("abc"), after: start("ab"))
        #expect(try settings.agree(nil, planned: nil) == start("abc"))
        // A worker that has begun before that, with other rows, and one that has read nothing more.
        #expect(throws: DownloadError.self) { try settings.record(start("abd"), after: start("ab")) }
        #expect(throws: DownloadError.self) { try settings.record(start("x"), after: nil) }
        try settings.record(start("ab"), after: start("ab"))
        #expect(try settings.agree(nil, planned: nil) == start("abc"))
        // Hosts are counted in the whole manifest.
        job.division = .host
        #expect(throws: DownloadError.self) { try SharedSettings(job).record(start("abcd"), after: start("abc")) }
    }
}

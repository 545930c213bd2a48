import Foundation
import HaulBatch
import HaulCore
import HaulEngine
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulBatchRun

@Suite("Batch runs", .usesSockets, .timeLimit(.minutes(5)))
struct BatchRunTests {
    @Test("every row has a result and its file, in parts of the given size")
    func whole() async throws {
        let resources = BatchTrial.files(25)
        try await BatchTrial.run(resources) { trial in
            try trial.write((0..<25).map { trial.server.url("/f\($0)") })
            let tally = try await trial.run { $0.rowsPerPart = 10 }
            #expect(tally.ok == 25 && tally.rows == 25)
            #expect(tally.estimate.isExact && tally.estimate.total == 25 && tally.done == 25)
            #expect(
                trial.names
                    == ["batch.json"]
                    + (0..<3).flatMap { ["part-00000-000\($0).results.jsonl", "part-00000-000\($0).tar"] })
            let members = try trial.members()
            #expect(members.count == 50)
            for number in 0..<25 { #expect(members["r\(number).png"] == resources["/f\(number)"]?.allBytes) }
            let description = try #require(members["r7.json"])
            #expect(String(decoding: description, as: UTF8.self).contains(#""caption":"c7""#))
            let accounts = try await trial.check()
            #expect(accounts.areComplete && accounts.ok == 25)
        }
    }

    @Test("a part that was killed at any place is continued without a loss or a repetition", arguments: 0...9)
    func kill(place: Int) async throws {
        try await BatchTrial.run(BatchTrial.files(12)) { trial in
            try trial.write((0..<12).map { trial.server.url("/f\($0)") })
            _ = try await trial.run()
            try trial.reopen("part-00000-0000")
            let (tar, results) = ("part-00000-0000.tar.partial", "part-00000-0000.results.jsonl.partial")
            let (tarBytes, lines) = (try trial.bytes(tar), try trial.bytes(results))
            // A kill leaves a prefix of the results, and at least the bytes that they describe; power failures leave less.
            try trial.write(lines.prefix(lines.count * place / 9), results)
            try trial.write(tarBytes.prefix(tarBytes.count * (10 - place / 2) / 10), tar)
            let before = trial.server.log.requests.count
            let tally = try await trial.run()
            #expect(tally.ok + tally.earlier == 12)
            #expect(trial.server.log.requests.count - before == Int(tally.ok))
            let accounts = try await trial.check()
            #expect(accounts.areComplete, "\(accounts.text)")
            #expect(try trial.members().count == 24)
            #expect(trial.names == ["batch.json", "part-00000-0000.results.jsonl", "part-00000-0000.tar"])
        }
    }

    @Test("a kill between the two renames is completed")
    func renames() async throws {
        try await BatchTrial.run(BatchTrial.files(2)) { trial in
            try trial.write((0..<2).map { trial.server.url("/f\($0)") })
            _ = try await trial.run()
            try FileManager.default.moveItem(
                atPath: "\(trial.out)/part-00000-0000.tar", toPath: "\(trial.out)/part-00000-0000.tar.partial")
            #expect(try await trial.run().rows == 0)
            #expect(try await trial.check().areComplete)
        }
    }

    @Test("a stopped run keeps its rows, and the next one continues")
    func stopped() async throws {
        var resources = BatchTrial.files(40)
        resources["/hang"] = Resource.text("x").script(.silence())
        try await BatchTrial.run(resources) { trial in
            try trial.write((0..<40).map { trial.server.url("/f\($0)") } + [trial.server.url("/hang")])
            let (reports, report) = AsyncStream.makeStream(of: Int64.self)
            let (job, engine) = (trial.job { $0.reportInterval = .milliseconds(5) }, trial.engine)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    _ = try await BatchRun(job, engine) { report.yield($0.tally.rows) }.run()
                }
                try await trial.server.until { $0.requests("/hang").count > 0 }
                for await rows in reports where rows == 40 { break }
                tasks.cancelAll()
                try await tasks.waitForAll()
            }
            #expect(trial.names.contains("part-00000-0000.tar.partial"))
            trial.server.set("/hang", .text("x"))
            let tally = try await trial.run()
            #expect(tally.ok == 1 && tally.earlier == 40)
            #expect(try await trial.check().areComplete)
        }
    }

    @Test("a second worker on a shard is refused, and other settings, too")
    func locked() async throws {
        try await BatchTrial.run(BatchTrial.files(1)) { trial in
            try trial.write([trial.server.url("/f0")])
            let first = try OutputFolder(trial.job())
            await #expect(throws: DownloadError.self) { try await trial.run() }
            withExtendedLifetime(first) {}
        }
        try await BatchTrial.run(BatchTrial.files(1)) { trial in
            try trial.write([trial.server.url("/f0")])
            _ = try await trial.run()
            let error = await #expect(throws: DownloadError.self) { try await trial.run { $0.output = .files } }
            #expect(error?.code == .notPossible)
            await #expect(throws: DownloadError.self) {
                try await trial.run { $0.shard = Shard(0, of: 2) ?? .whole }
            }
        }
    }

    @Test("shards share the rows, by host and by row", arguments: BatchJob.Division.allCases)
    func shards(division: BatchJob.Division) async throws {
        try await BatchTrial.run(BatchTrial.files(20)) { trial in
            try trial.write((0..<20).map { trial.server.url("/f\($0)") })
            var rows: Int64 = 0
            for index in 0..<3 {
                rows += try await trial.run {
                    $0.shard = Shard(index, of: 3) ?? .whole
                    $0.division = division
                }.ok
            }
            #expect(rows == 20)
            #expect(try await trial.check().areComplete)
            for index in 0..<3 {
                let accounts = try await trial.check {
                    $0.shard = Shard(index, of: 3) ?? .whole
                    $0.division = division
                }
                #expect(accounts.areComplete, "\(accounts.text)")
            }
        }
    }

    @Test("a manifest behind a symbolic link is compared; only regular files are")
    func kindsOfManifests() async throws {
        try await BatchTrial.run(BatchTrial.files(2)) { trial in
            try trial.write((0..<2).map { trial.server.url("/f\($0)") })
            let link = trial.folder.path("link.jsonl")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: trial.manifest)
            let tally = try await trial.run {
                ($0.manifest, $0.shard, $0.division) = (link, Shard(0, of: 2) ?? .whole, .row)
            }
            #expect(tally.ok == 1)
            let start = try ManifestFile(link).start()
            #expect(try start == ManifestFile(trial.manifest).start() && start?.sha256.count == 64)
            #expect(try ManifestFile(link).start(atMost: 3)?.bytes == 3)
            #expect(try ManifestFile("/dev/null").start() == nil)
        }
    }

    @Test("an id that is in two shards is two rows", arguments: BatchJob.Division.allCases)
    func sharedIDs(division: BatchJob.Division) async throws {
        try await BatchTrial.run(BatchTrial.files(6)) { trial in
            let other = trial.server.url("/").replacing("127.0.0.1", with: "localhost")
            let urls = (0..<3).flatMap { ["\(trial.server.url("/"))f\($0)", "\(other)f\($0 + 3)"] }
            // Each id is in both shards, and that of the first row twice in its shard.
            let ids = ["a", "a", "b", "b", "a", "c"]
            let lines = zip(ids, urls).map { #"{"id":"\#($0)","url":"\#($1)"}"# + "\n" }
            try lines.joined().write(toFile: trial.manifest, atomically: true, encoding: .utf8)
            for index in 0..<2 {
                try await trial.run {
                    ($0.shard, $0.division) = (Shard(index, of: 2) ?? .whole, division)
                }
            }
            let accounts = try await trial.check()
            #expect(
                accounts.areComplete && accounts.rows == 5 && accounts.ok == 5 && accounts.repeated == 1,
                "\(accounts.text)")
            // Nothing is fetched again.
            let before = trial.server.log.requests.count
            for index in 0..<2 {
                try await trial.run {
                    ($0.shard, $0.division) = (Shard(index, of: 2) ?? .whole, division)
                }
            }
            #expect(trial.server.log.requests.count == before)
            // A manifest that has grown has other shards: equal ids are reported then.
            try (lines.joined() + #"{"id":"d","url":"\#(other)f5"}"#).write(
                toFile: trial.manifest, atomically: true, encoding: .utf8)
            let grown = try await trial.check()
            #expect(grown.missing == 1 && (grown.problemCount == 2) == (division == .host), "\(grown.text)")
        }
    }

    @Test("named shards have all rows, parts with their names, and a folder together")
    func named() async throws {
        try await BatchTrial.run(BatchTrial.files(4)) { trial in
            for name in [3, 17] {
                try trial.write((0..<2).map { trial.server.url("/f\($0 + (name == 3 ? 0 : 2))") })
                let text = try String(contentsOfFile: trial.manifest, encoding: .utf8).replacing(
                    "\"r", with: "\"r\(name)-")
                try text.write(toFile: trial.manifest, atomically: true, encoding: .utf8)
                #expect(try await trial.run { $0.shardName = name }.ok == 2)
            }
            #expect(trial.names.filter { $0.hasSuffix(".tar") } == ["part-00003-0000.tar", "part-00017-0000.tar"])
            #expect(try await trial.run { $0.shardName = 17 }.earlier == 2)
            let error = await #expect(throws: DownloadError.self) { try await trial.run() }
            #expect(error?.message.contains("--shard-name") == true)
            let accounts = try await trial.check()
            // The manifest has only the rows of the last one.
            #expect(accounts.ok == 2 && accounts.foreign == 2 && accounts.problemCount == 0)
        }
    }

    @Test("files are saved in folders, and a killed part is continued")
    func folders() async throws {
        let resources = BatchTrial.files(5)
        try await BatchTrial.run(resources) { trial in
            try trial.write((0..<5).map { trial.server.url("/f\($0)") })
            _ = try await trial.run { $0.output = .files }
            #expect(try trial.bytes("part-00000-0000/000/r3.png") == resources["/f3"]?.allBytes)
            #expect(try await trial.check { $0.output = .files }.areComplete)
            for ending in ["", ".results.jsonl"] {
                try FileManager.default.moveItem(
                    atPath: "\(trial.out)/part-00000-0000\(ending)",
                    toPath: "\(trial.out)/part-00000-0000\(ending).partial")
            }
            try trial.write([1], "part-00000-0000.partial/000/stray.png")
            let results = "part-00000-0000.results.jsonl.partial"
            try trial.write(try trial.bytes(results).dropLast(5), results)
            let tally = try await trial.run { $0.output = .files }
            #expect(tally.ok == 1 && tally.earlier == 4)
            #expect(!FileManager.default.fileExists(atPath: "\(trial.out)/part-00000-0000/000/stray.png"))
            #expect(try await trial.check { $0.output = .files }.areComplete)
        }
    }

    @Test("large files go through a temporary file, chunked ones have no length")
    func large() async throws {
        let resources = [
            "/big": Resource.file(seed: 3, size: 3_000_000), "/small": .file(seed: 4, size: 10),
            "/chunked": Resource.file(seed: 5, size: 400_000).script(.chunked()),
        ]
        try await BatchTrial.run(resources) { trial in
            try trial.write(["/small", "/big", "/chunked", "/small"].map(trial.server.url))
            let tally = try await trial.run { $0.memoryPerRow = 200_000 }
            #expect(tally.ok == 4)
            let members = try trial.members()
            #expect(members["r1.bin"] == resources["/big"]?.allBytes)
            #expect(members["r2.bin"] == resources["/chunked"]?.allBytes)
            #expect(try await trial.check().areComplete)
        }
    }

    @Test("never more rows of one host at a time than its limit")
    func perHost() async throws {
        try await BatchTrial.run(BatchTrial.files(60)) { trial in
            try trial.write((0..<60).map { trial.server.url("/f\($0)") })
            _ = try await trial.run { $0.perHost = 2 }
            #expect(trial.server.log.maximumConcurrent <= 2)
        }
    }

    @Test("robots.txt is read once for a host")
    func robotsText() async throws {
        var resources = BatchTrial.files(4)
        resources["/robots.txt"] = .text("User-agent: *\nDisallow: /f1\n")
        try await BatchTrial.run(resources) { trial in
            try trial.write((0..<4).map { trial.server.url("/f\($0)") })
            let tally = try await trial.run { $0.followsRobotsText = true }
            #expect(tally.ok == 3 && tally.refused == ["robotsText": 1])
            #expect(trial.server.requests("/robots.txt").count == 1)
            #expect(trial.server.requests("/f1").isEmpty)
        }
    }

    @Test("rows with equal names have files of their own", arguments: PartFormat.allCases)
    func names(format: PartFormat) async throws {
        let resources = BatchTrial.files(3)
        try await BatchTrial.run(resources) { trial in
            let lines = ["x-2", "x", "x"].enumerated().map {
                #"{"id":"r\#($0)","url":"\#(trial.server.url("/f\($0)"))","file":"\#($1)"}"# + "\n"
            }
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: trial.manifest))
            let configure: (inout BatchJob) -> Void = {
                ($0.columns.name, $0.output, $0.jobs) = ("file", format, 1)
            }
            #expect(try await trial.run(configure).ok == 3)
            #expect(try await trial.check(configure).areComplete)
            let found = try trial.results().map { try #require($0.file?.member) }
            #expect(Set(found.map(PartDraft.key)).count == 3, "\(found)")
            if format == .tar { #expect(try trial.members().count == 6) }
        }
    }

    @Test("a check finds two rows with one name", arguments: PartFormat.allCases)
    func equalNames(format: PartFormat) async throws {
        try await BatchTrial.run(BatchTrial.files(2, size: 3000)) { trial in
            try trial.write((0..<2).map { trial.server.url("/f\($0)") })
            _ = try await trial.run { ($0.output, $0.jobs) = (format, 1) }
            // As an earlier version named them.
            let results = String(decoding: try trial.bytes("part-00000-0000.results.jsonl"), as: UTF8.self)
            try trial.write(results.replacing("r1.png", with: "r0.png").utf8, "part-00000-0000.results.jsonl")
            let accounts = try await trial.check { $0.output = format }
            #expect(accounts.problems.contains { $0.contains("two rows have the name r0") }, "\(accounts.problems)")
        }
    }

    @Test("a part that was lost or damaged is fetched again once its files are removed", arguments: [true, false])
    func lostPart(isLost: Bool) async throws {
        try await BatchTrial.run(BatchTrial.files(6)) { trial in
            try trial.write((0..<6).map { trial.server.url("/f\($0)") })
            let configure: (inout BatchJob) -> Void = { ($0.rowsPerPart, $0.jobs) = (2, 1) }
            _ = try await trial.run(configure)
            let part = "\(trial.out)/part-00000-0001"
            if isLost {
                try FileManager.default.removeItem(atPath: part + ".tar")
                let error = await #expect(throws: DownloadError.self) { try await trial.run(configure) }
                #expect(error?.message.contains("part-00000-0001.results.jsonl") == true)
                #expect(error?.message.contains("remove this one, too, and run haul batch again") == true)
            } else {
                var tar = try trial.bytes("part-00000-0001.tar")
                tar[600] ^= 1
                try trial.write(tar, "part-00000-0001.tar")
            }
            let problems = try await trial.check().problems
            #expect(problems.count == 1 && problems[0].hasSuffix("and run haul batch again"), "\(problems)")
            try? FileManager.default.removeItem(atPath: part + ".tar")
            try FileManager.default.removeItem(atPath: part + ".results.jsonl")
            let again = try await trial.run(configure)
            #expect(again.ok == 2 && again.earlier == 4)
            #expect(try await trial.check().areComplete)
        }
    }

    @Test("a check finds what is missing or changed")
    func checks() async throws {
        try await BatchTrial.run(BatchTrial.files(3)) { trial in
            try trial.write((0..<3).map { trial.server.url("/f\($0)") })
            _ = try await trial.run()
            let tar = try trial.bytes("part-00000-0000.tar")
            var changed = tar
            changed[600] ^= 1
            try trial.write(changed, "part-00000-0000.tar")
            #expect(try await !trial.check().areComplete)
            #expect(try await trial.check(deep: false).areComplete)
            try trial.write(tar.dropLast(1024), "part-00000-0000.tar")
            #expect(try await !trial.check(deep: false).areComplete)
            try trial.write(tar, "part-00000-0000.tar")
            try trial.write((0..<4).map { trial.server.url("/f\($0)") })
            let accounts = try await trial.check()
            #expect(accounts.missing == 1 && accounts.missingIDs == ["r3"])
        }
    }
}

import Foundation
import HaulBatch
import HaulCore
import HaulEngine
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulBatchRun

@Suite("Rows that are tried again, or not", .usesSockets, .timeLimit(.minutes(5)))
struct BatchRetryTests {
    @Test("failed and refused rows have results, and a second run fetches nothing")
    func causes() async throws {
        var resources = BatchTrial.files(3)
        resources["/away"] = .redirect(to: "/f1")
        resources["/html"] = Resource.text("<!DOCTYPE html><p>no").contentType("image/png")
        resources["/noai"] = Resource.text("x").header("X-Robots-Tag", "noai")
        resources["/large"] = Resource.file(seed: 1, size: 9000).contentType("image/png")
        try await BatchTrial.run(resources) { trial in
            let paths = ["/f0", "/missing", "/away", "/html", "/noai", "/large", "/f2"]
            try trial.write(paths.map(trial.server.url) + ["no url", "ftp://h/x", ""])
            let configure: (inout BatchJob) -> Void = {
                $0.rules.accepted = ["image/*", "application/octet-stream"]
                $0.rules.disallowed = ["noai"]
                $0.rules.maxSize = 5000
            }
            let tally = try await trial.run(configure)
            #expect(tally.failed == ["notFound": 1])
            #expect(tally.refused == ["mediaType": 1, "robotsTag": 1, "tooLarge": 1, "invalidRow": 3])
            let text = String(decoding: try trial.bytes("part-00000-0000.results.jsonl"), as: UTF8.self)
            #expect(text.contains(#""id":"r1","row":1,"#) && text.contains(#""status":404"#))
            #expect(text.contains(#""final_url":"\#(trial.server.url("/f1"))""#))
            let before = trial.server.log.requests.count
            let again = try await trial.run(configure)
            #expect(again.rows == 0 && again.earlier == 10)
            #expect(trial.server.log.requests.count == before)
            #expect(try await trial.check().areComplete)
        }
    }

    @Test(
        "a file with the name of a part in a folder without a batch is left alone",
        arguments: ["part-00000-0000.tar.partial", "part-00000-0000.results.jsonl.partial"])
    func foreign(name: String) async throws {
        try await BatchTrial.run(BatchTrial.files(1)) { trial in
            try trial.write([trial.server.url("/f0")])
            try FileManager.default.createDirectory(atPath: trial.out, withIntermediateDirectories: true)
            try trial.write("mine".utf8, name)
            let error = await #expect(throws: DownloadError.self) { try await trial.run() }
            #expect(error?.code == .notPossible && trial.names == [name])
            #expect(try trial.bytes(name) == Array("mine".utf8))
        }
    }

    @Test("a lack of files ends the run, and the rows have no result", arguments: [false, true])
    func noFiles(readsRobotsText: Bool) async throws {
        try await BatchTrial.run(BatchTrial.files(1)) { trial in
            let transport = ScriptedTransport()
            let path = readsRobotsText ? "/robots.txt" : "/f0"
            transport.set(trial.server.url(path), .fails(.tooManyFiles))
            let engine = try DownloadEngine(scripted: transport)
            let poor = BatchTrial(folder: trial.folder, server: trial.server, engine: engine)
            try trial.write([trial.server.url("/f0")])
            let configure: (inout BatchJob) -> Void = { $0.followsRobotsText = readsRobotsText }
            let error = await #expect(throws: DownloadError.self) { try await poor.run(configure) }
            await engine.shutdown()
            #expect(error?.code == .tooManyFiles)
            let tally = try await trial.run(configure)
            #expect(tally.ok == 1 && tally.earlier == 0)
        }
    }

    @Test("only failed rows are retried, with the codes given; the last result counts")
    func retry() async throws {
        try await BatchTrial.run(BatchTrial.files(2)) { trial in
            trial.server.set("/busy", Resource.text("x").script(.status(503)))
            try trial.write(["/f0", "/gone", "/busy", "/f1"].map(trial.server.url) + ["bad"])
            _ = try await trial.run()
            for path in ["/gone", "/busy"] { trial.server.set(path, .text("now")) }
            let before = trial.server.log.requests.count
            let some = try await trial.run { $0.selection = .missingAndFailed(codes: ["notFound"]) }
            #expect(some.ok == 1 && some.rows == 1 && trial.server.log.requests.count == before + 1)
            let all = try await trial.run { $0.selection = .missingAndFailed(codes: nil) }
            #expect(all.ok == 1 && all.rows == 1)
            let accounts = try await trial.check()
            #expect(accounts.areComplete && accounts.ok == 4 && accounts.refused == 1)
            #expect(trial.names.count { $0.hasSuffix(".tar") } == 3)
        }
    }

    @Test(
        "an error as text after a response that broke is not the row", arguments: [ServerScript.normal, .chunked()])
    func errorAfterBreak(script: ServerScript) async throws {
        let file = Resource.file(seed: 5, size: 400_000).contentType("image/png")
        let error = Resource.text(#"{"error":1}"#).etag(nil).lastModified(nil).contentType("application/json")
        let broken = file.script {
            switch $0.number {
            case 1: script.cut(after: 200_000)
            case 2: .serving(error)
            case _: script
            }
        }
        try await BatchTrial.run(["/f": broken]) { trial in
            try trial.write([trial.server.url("/f")])
            let tally = try await trial.run {
                $0.template.retries = 3
                $0.template.tuning.retryWait = .milliseconds(10)
            }
            #expect(tally.ok == 1 && tally.failed.isEmpty)
            let text = String(decoding: try trial.bytes("part-00000-0000.results.jsonl"), as: UTF8.self)
            #expect(text.contains(#""bytes":400000"#), "\(text)")
        }
    }

    @Test("refused rows are retried by their code, or all together; the last result counts")
    func retryRefused() async throws {
        let resources = ["/a": Resource.text("x").contentType("image/png"), "/b": .text("<!DOCTYPE html>")]
        try await BatchTrial.run(resources) { trial in
            try trial.write(["/a", "/b"].map(trial.server.url))
            let strict = try await trial.run { ($0.rules.accepted, $0.jobs) = (["image/webp"], 1) }
            #expect(strict.refused == ["mediaType": 2])
            let configure: (inout BatchJob) -> Void = { ($0.rules.accepted, $0.jobs) = (["image/*"], 1) }
            for codes in [nil, ["failed"], ["tooLarge"]] as [Set<String>?] {
                let none = try await trial.run {
                    configure(&$0); $0.selection = .missingAndFailed(codes: codes)
                }
                #expect(none.rows == 0 && none.earlier == 2)
            }
            let tally = try await trial.run {
                configure(&$0); $0.selection = .missingAndFailed(codes: ["refused"])
            }
            #expect(tally.ok == 1 && tally.refused == ["mediaType": 1])
            let last = try await trial.run { $0.selection = .missingAndFailed(codes: ["mediaType"]) }
            #expect(last.ok == 1 && last.rows == 1)
            let accounts = try await trial.check()
            #expect(accounts.areComplete && accounts.ok == 2, "\(accounts.text)")
        }
    }

    @Test("a wrong column ends a run before anything is recorded, and the right one repairs it")
    func wrongColumn() async throws {
        try await BatchTrial.run(BatchTrial.files(2)) { trial in
            try trial.write((0..<2).map { trial.server.url("/f\($0)") })
            for columns in [
                ManifestColumns(url: "link"), ManifestColumns(id: "key", requiresID: true), ManifestColumns(name: "n"),
            ] {
                let error = await #expect(throws: DownloadError.self) { try await trial.run { $0.columns = columns } }
                #expect(error?.code == .invalidRequest && error?.message.contains("has a column") == true)
                #expect(trial.names.isEmpty && trial.server.log.requests.isEmpty)
            }
            #expect(try await trial.run().ok == 2)
        }
    }

    @Test(
        "an invalid row is fetched once it is corrected, and is not written again until then", arguments: [true, false])
    func corrected(hasIDs: Bool) async throws {
        try await BatchTrial.run(BatchTrial.files(3)) { trial in
            func write(_ url: String) throws {
                let lines = [trial.server.url("/f0"), url, trial.server.url("/f2")].enumerated().map {
                    (hasIDs ? #"{"id":"r\#($0)","# : "{") + #""url":"\#($1)"}"# + "\n"
                }
                try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: trial.manifest))
            }
            try write("")
            #expect(try await trial.run().refused == ["invalidRow": 1])
            #expect(try await trial.run().rows == 0)
            try write(trial.server.url("/f1"))
            let tally = try await trial.run()
            #expect(tally.ok == 1 && tally.earlier == 2)
            #expect(try await trial.run().rows == 0)
            let accounts = try await trial.check()
            #expect(accounts.areComplete && accounts.ok == 3, "\(accounts.text)")
        }
    }

    @Test("the rows of JSON lines may have ids although the first one has none")
    func someIDs() async throws {
        try await BatchTrial.run(BatchTrial.files(3)) { trial in
            let ids = ["", #","id":"one""#, ""]
            let lines = ids.enumerated().map { #"{"url":"\#(trial.server.url("/f\($0)"))"\#($1)}"# + "\n" }
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: trial.manifest))
            #expect(try await trial.run().ok == 3)
            let accounts = try await trial.check()
            #expect(accounts.areComplete && accounts.ok == 3, "\(accounts.text)")
        }
    }

    @Test("a part without rows, which a full disk has left, is removed by a run that fetches nothing")
    func emptyPart() async throws {
        try await BatchTrial.run(BatchTrial.files(1)) { trial in
            try trial.write([trial.server.url("/f0")])
            try await trial.run()
            let before = trial.names
            for ending in [".tar.partial", ".results.jsonl.partial"] {
                try trial.write([UInt8](), "part-00000-0001\(ending)")
            }
            #expect(try await trial.check().areComplete == false)
            #expect(try await trial.run().rows == 0)
            #expect(trial.names == before)
            let accounts = try await trial.check()
            #expect(accounts.areComplete, "\(accounts.text)")
        }
    }

    @Test("a manifest without ids that has changed ends the run, unless rows were added at its end")
    func changedManifest() async throws {
        try await BatchTrial.run(BatchTrial.files(4)) { trial in
            func write(_ numbers: [Int]) throws {
                let lines = numbers.map { #"{"url":"\#(trial.server.url("/f\($0)"))"}"# + "\n" }
                try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: trial.manifest))
            }
            try write([0, 1])
            #expect(try await trial.run().ok == 2)
            try write([0, 1, 2])
            #expect(try await trial.run().ok == 1)
            let before = trial.names
            for selection in [RowSelection.missing, .missingAndFailed(codes: nil)] {
                try write([3, 0, 1, 2])
                let error = await #expect(throws: DownloadError.self) {
                    try await trial.run { $0.selection = selection }
                }
                #expect(error?.code == .notPossible && error?.message.contains("row 0 had another URL") == true)
            }
            #expect(trial.names == before && trial.server.requests("/f3").isEmpty)
            try write([0, 1, 2, 3])
            #expect(try await trial.run().ok == 1)
            #expect(try await trial.check().areComplete)
            #expect(try trial.members().keys.filter { $0.hasSuffix(".json") }.count == 4)
        }
    }

    @Test(
        "a host that asks for a pause gets it, and the worker fetches rows of other hosts meanwhile",
        arguments: ["1", "2"])
    func pause(seconds: String) async throws {
        let busy = Resource.text("x").script { $0.number == 1 ? .status(429, ["Retry-After": seconds]) : .normal }
        try await BatchTrial.run(["/busy": busy, "/next": .text("y")].merging(BatchTrial.files(4)) { $1 }) { trial in
            let other = trial.server.url("/").replacing("127.0.0.1", with: "localhost")
            try trial.write([trial.server.url("/busy"), trial.server.url("/next")] + (0..<4).map { "\(other)f\($0)" })
            let tally = try await trial.run { ($0.jobs, $0.template.retries) = (1, 1) }
            #expect(tally.ok == 6)
            let paths = trial.server.log.requests.map(\.facts.path)
            // A slow machine may need more than one second for the rows of the other host.
            #expect(paths.count == 7 && paths.prefix(2) == ["/busy", "/f0"], "\(paths)")
            #expect(paths.filter { !$0.hasPrefix("/f") } == ["/busy", "/busy", "/next"], "\(paths)")
            #expect(seconds == "1" || paths.suffix(2) == ["/busy", "/next"], "\(paths)")
            let results = String(decoding: try trial.bytes("part-00000-0000.results.jsonl"), as: UTF8.self)
            #expect(results.split(separator: "\n").first { $0.contains(#""r0""#) }?.contains(#""attempts":2"#) == true)
        }
    }

    @Test("a pause beyond the row's deadline or the longest wait is not made", arguments: [true, false])
    func longPause(byDeadline: Bool) async throws {
        let busy = Resource.text("x").script(.status(503, ["Retry-After": "50"]))
        try await BatchTrial.run(["/busy": busy]) { trial in
            try trial.write([trial.server.url("/busy")])
            let tally = try await trial.run { job in
                job.template.retries = 2
                if byDeadline { job.template.maxTime = .seconds(30) } else { job.template.maxWait = .seconds(30) }
            }
            #expect(tally.failed.values.reduce(0, +) == 1 && trial.server.log.requests.count == 1)
            let results = String(decoding: try trial.bytes("part-00000-0000.results.jsonl"), as: UTF8.self)
            let words = byDeadline ? "longer than the row may take (30 s)" : "longer than the 30 s allowed"
            #expect(results.contains("asks to wait 50 s, \(words)"), "\(results)")
        }
    }

    @Test("a row ends at its deadline, however little has come until then", arguments: [Int64(0), 3000, 200_000])
    func deadline(bytes: Int64) async throws {
        let resource = Resource.file(seed: 3, size: 400_000).script(.stall(after: bytes))
        try await BatchTrial.run(["/f": resource]) { trial in
            try trial.write([trial.server.url("/f")])
            let tally = try await trial.run { $0.template.maxTime = .seconds(1) }
            #expect(tally.failed == ["timedOut": 1])
            let results = String(decoding: try trial.bytes("part-00000-0000.results.jsonl"), as: UTF8.self)
            #expect(results.contains("not complete after 1 s, the maximum time"), "\(results)")
            let seconds = results.firstMatch(of: /"seconds":([0-9.]+)/).flatMap { Double($0.1) }
            // The first response alone may take two seconds.
            #expect(seconds.map { $0 < 1.9 } == true, "\(results)")
        }
    }

    @Test(
        "a row whose first response broke is fetched again from the start if the server has no ranges",
        arguments: [Int64(6000), 400_000], [1, 2])
    func noRanges(size: Int64, breaks: Int) async throws {
        // The rest of a small file is not worth a request of its own; that of a large one is requested twice, the second
        // time without If-Range.
        let isSmall = size < 65_536
        let (perBreak, lastBroken) = isSmall ? (1, breaks) : (3, 3 * breaks - 2)
        let resource = Resource.file(seed: 7, size: size).contentType("image/png").script {
            (isSmall || $0.header("range") == nil) && $0.number <= lastBroken
                ? .ignoringRange().cut(after: size / 2) : .ignoringRange()
        }
        try await BatchTrial.run(["/f": resource]) { trial in
            try trial.write([trial.server.url("/f")])
            let tally = try await trial.run { job in
                job.template.retries = breaks
                job.template.tuning.retryWait = .milliseconds(1)
            }
            #expect(tally.ok == 1, "\(tally)")
            #expect(try trial.members()["r0.png"] == resource.allBytes)
            #expect(trial.server.requests("/f").count == perBreak * breaks + 1)
            let results = String(decoding: try trial.bytes("part-00000-0000.results.jsonl"), as: UTF8.self)
            #expect(results.contains(#""attempts":\#(breaks + 1)"#), "\(results)")
            #expect(try await trial.check().areComplete)
        }
    }

    @Test(
        "a response without a size that is shorter than an earlier one, which announced more or had more, is not the file, unless it shows that it is whole",
        arguments: [
            ("\"1\"", false, false), ("\"1\"", true, false), (nil, false, false), (nil, true, true),
            ("\"2\"", false, true),
        ] as [(tag: String?, isChunked: Bool, isWhole: Bool)], [true, false])
    func shorterThanEarlier(
        reply answer: (tag: String?, isChunked: Bool, isWhole: Bool), announces: Bool
    ) async throws {
        let (tag, isChunked, isWhole) = answer
        let file = Resource.file(seed: 7, size: 6000).contentType("image/png").lastModified(nil).etag("\"1\"")
        let short = Resource.file(seed: 7, size: 2000).contentType("image/png").lastModified(nil).etag(tag)
        let reply = ServerScript.serving(short).ignoringRange()
        let resource = file.script { request in
            guard request.number > 1 else {
                return announces ? .ignoringRange().cut(after: 1000) : .ignoringRange().chunked().cut(after: 3000)
            }
            return isChunked ? reply.chunked() : reply.withoutLength()
        }
        try await BatchTrial.run(["/f": resource]) { trial in
            try trial.write([trial.server.url("/f")])
            let tally = try await trial.run { job in
                job.template.retries = 2
                job.template.tuning.retryWait = .milliseconds(1)
            }
            #expect(tally.ok == (isWhole ? 1 : 0) && tally.failed == (isWhole ? [:] : ["badResponse": 1]), "\(tally)")
            #expect(isWhole || trial.server.requests("/f").count >= 3)
        }
    }

    @Test(
        "a row whose responses always break fails with the error of the connection",
        arguments: [Int64(6000), 400_000], [0, 1, 2])
    func alwaysBroken(size: Int64, retries: Int) async throws {
        let resource = Resource.file(seed: 7, size: size).script(.ignoringRange().cut(after: size / 2))
        try await BatchTrial.run(["/f": resource].merging(BatchTrial.files(1)) { $1 }) { trial in
            try trial.write(["/f", "/f0"].map(trial.server.url))
            let tally = try await trial.run { job in
                job.template.retries = retries
                job.template.tuning.retryWait = .milliseconds(1)
            }
            #expect(tally.ok == 1 && tally.failed == ["connectionFailed": 1], "\(tally)")
            #expect(trial.server.requests("/f").count == (size < 65_536 ? retries + 1 : 3 * (retries + 1)))
            #expect(try trial.members().keys.sorted() == ["r1.json", "r1.png"])
        }
    }

    @Test("a response that is not HTTP is one request, without retries")
    func notHTTP() async throws {
        let responses: [String: Resource] = [
            "/bytes": .text("").script(.garbage([0, 1, 2, 0x20, 0x0D, 0x0A, 0x0D, 0x0A])),
            "/words": .text("").script(.garbage(Array("what?\r\n\r\n".utf8))),
        ]
        try await BatchTrial.run(responses) { trial in
            try trial.write(["/bytes", "/words"].map(trial.server.url))
            let tally = try await trial.run()
            #expect(tally.failed == ["badResponse": 2])
            for path in responses.keys { #expect(trial.server.requests(path).count == 1, "\(path)") }
        }
    }
}

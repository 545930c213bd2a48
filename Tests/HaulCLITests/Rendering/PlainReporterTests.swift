import HaulCore
import Testing

@testable import HaulCLI

@Suite struct PlainReporterTests {
    @Test func aLineAtTheStartEveryTenSecondsAndAtTheEnd() throws {
        var scene = Scene(PlainReporter(expected: 1, quiet: false))
        let job = try Scene.job(1, "http://h/a")
        scene.take(.began(job))
        scene.take(.event(job, Scene.started("a", 102_400)), at: 1)
        for tenths in 11...250 {
            scene.take(.event(job, Scene.progress(Int64(tenths) * 100, of: 102_400)), at: Double(tenths) / 10)
        }
        scene.take(.event(job, Scene.finished("a", 102_400, seconds: 26)), at: 27)
        scene.take(Scene.closing())
        #expect(
            scene.output().standardError == """
                a  started, 100.0 KiB
                a  10 %, 10.7 KiB of 100.0 KiB, 1.0 KiB/s, 1m30s left, 2 connections
                a  20 %, 20.5 KiB of 100.0 KiB, 1.0 KiB/s, 1m20s left, 2 connections
                a  100.0 KiB in 26.0 s, 3.8 KiB/s, no checksum available

                """)
        #expect(scene.output() == Output())
    }

    @Test("bytes that were only compared are not called resumed") func compared() throws {
        var scene = Scene(PlainReporter(expected: 1, verbosity: .line))
        let job = try Scene.job(1, "http://h/a")
        scene.take(.began(job))
        scene.take(.event(job, Scene.started("a", 2048)))
        scene.take(.event(job, .notice(.rangesIgnored)))
        let facts = FinishFacts(
            path: "a", totalBytes: 2048, sessionBytes: 1024, seconds: 1, verification: .size, kept: false)
        scene.take(.event(job, .finished(facts)), at: 1)
        let text = scene.output().standardError
        #expect(text.contains("1.0 KiB existed and were compared") && !text.contains("resumed"))
    }

    @Test func quietTellsOnlyOfFailures() throws {
        var scene = Scene(PlainReporter(expected: nil, quiet: true))
        let job = try Scene.job(1, "http://h/a")
        scene.take(.event(job, Scene.started("a", 10)))
        scene.take(.event(job, Scene.progress(5, of: 10)), at: 60)
        scene.take(.event(job, .waiting(.serverAsked(status: 503), seconds: .infinity)))
        scene.take(.event(job, .notice(.sourceChanged)))
        scene.take(.event(job, .failed(DownloadError(.timedOut, "no byte came"))))
        scene.take(.badLine(BadLine(id: 2, list: "l", line: 3, message: "bad")))
        scene.take(Scene.closing(.interrupt))
        #expect(scene.output().standardError == "haul: a: no byte came <http://h/a>\nhaul: l, line 3: bad\n")
    }

    @Test("advice is given once") func advice() throws {
        var scene = Scene(PlainReporter(expected: 3, quiet: true))
        let errors = [
            DownloadError(.timedOut, "slow", detail: .silent), DownloadError(.timedOut, "slow", detail: .silent),
            DownloadError(.timedOut, "slow", detail: .slowToConnect),
        ]
        for (id, error) in errors.enumerated() {
            scene.take(.event(try Scene.job(id, "http://h/a"), .failed(error)))
        }
        let lines = scene.output().standardError.split(separator: "\n")
        #expect(lines.map { $0.contains("; to wait longer, add") } == [true, false, true], "\(lines)")
    }

    @Test("with --verbosity line each file has one line, when it ends") func oneLineEach() throws {
        var scene = Scene(PlainReporter(expected: 2, verbosity: .line))
        let jobs = [try Scene.job(1, "http://h/a"), try Scene.job(2, "http://h/b")]
        for job in jobs {
            scene.take(.began(job))
            scene.take(.event(job, Scene.started(job.name, 10)))
            scene.take(.event(job, Scene.progress(5, of: 10)), at: 60)
            scene.take(.event(job, .waiting(.serverAsked(status: 503), seconds: 1)))
            scene.take(.event(job, .notice(.sourceChanged)))
        }
        scene.take(.event(jobs[0], Scene.finished("a", 10)))
        scene.take(.event(jobs[1], .failed(DownloadError(.noSpace, "full"))))
        scene.take(Scene.closing())
        #expect(
            scene.output().standardError == "a  10 B in 2.0 s, 5 B/s, no checksum available\nhaul: b: full\n")
    }

    @Test("with more than 20 files none has a line at its start", arguments: [(20, 20), (21, 0), (nil, 20)])
    func starts(expected: Int?, lines: Int) throws {
        var scene = Scene(PlainReporter(expected: expected, quiet: false))
        for id in 1...(expected ?? 30) { scene.take(.event(try Scene.job(id, "http://h/a"), Scene.started("a", 10))) }
        #expect(scene.output().standardError.split(separator: "\n").count { $0.contains("started") } == lines)
    }

    @Test("what is known of a list before its first download counts", arguments: [(20, 5), (21, 0)])
    func listed(count: Int, lines: Int) throws {
        var scene = Scene(PlainReporter(expected: nil, quiet: false))
        scene.take(.listed(count))
        for id in 1...5 { scene.take(.event(try Scene.job(id, "http://h/a"), Scene.started("a", 10))) }
        #expect(scene.output().standardError.split(separator: "\n").count { $0.contains("started") } == lines)
    }

    @Test(
        "a stop says what the same command does",
        arguments: [
            (1, true, .resumes, "Interrupted at 43 %. Run the same command again to resume.\n"),
            (
                1, true, .depends,
                "Interrupted at 43 %. Run the same command again to resume, if the server supports it.\n"
            ),
            (
                1, true, .lacksRanges,
                "Interrupted at 43 %. The server does not support resuming: the same command requests the whole file again.\n"
            ),
            (1, true, .nothingKept, "Interrupted at 43 %. The same command starts again.\n"),
            (1, false, .nothingKept, "Interrupted. With --no-resume, nothing is kept.\n"),
            (
                2, true, .resumes,
                "0 of 1 complete, 1 stopped, 43 B in 14.0 s\nInterrupted at 43 %. Run the same command again to resume.\n"
            ),
        ] as [(Int, Bool, Resumption, String)])
    func stop(expected: Int, resumes: Bool, resumption: Resumption, text: String) throws {
        var scene = Scene(PlainReporter(expected: expected, quiet: false))
        let job = try Scene.job(1, "http://h/a")
        scene.take(.event(job, Scene.started("a", 100)))
        scene.take(.event(job, Scene.progress(43, of: 100)))
        _ = scene.output()
        scene.take(.event(job, .failed(.stopped(resumption))))
        scene.take(Scene.closing(.interrupt, resumes: resumes))
        #expect(scene.output().standardError == text)
    }

    @Test func aStopAfterACompleteOneNamesTheOptionThatLeavesItAlone() throws {
        var scene = Scene(PlainReporter(expected: 3, quiet: false))
        let jobs = [try Scene.job(1, "http://h/a"), try Scene.job(2, "http://h/b")]
        scene.take(.event(jobs[0], Scene.finished("a", 1)))
        scene.take(.event(jobs[1], .failed(DownloadError(.cancelled, "stopped"))))
        scene.take(.cutShort)
        scene.take(Scene.closing(.terminate))
        let text = "Terminated. Run the same command again to resume, with --on-conflict skip for the complete files.\n"
        #expect(scene.output().standardError.hasSuffix(text))
    }

    @Test("a stop of several says how many are requested as a whole, and one before the first byte promises nothing")
    func stopOfSeveral() throws {
        var scene = Scene(PlainReporter(expected: 3, quiet: false))
        for (id, resumption) in [Resumption.resumes, .lacksRanges, .lacksRanges].enumerated() {
            let job = try Scene.job(id + 1, "http://h/a")
            scene.take(.event(job, Scene.started("a", 100)))
            scene.take(.event(job, .failed(.stopped(resumption))))
        }
        scene.take(Scene.closing(.interrupt))
        let text = "to resume; 2 of 3 are requested as a whole: the server does not support resuming.\n"
        #expect(scene.output().standardError.hasSuffix(text))
        var first = Scene(PlainReporter(expected: 1, quiet: false))
        first.take(.event(try Scene.job(1, "http://h/a"), .failed(.stopped(.nothingKept))))
        first.take(Scene.closing(.hangup))
        #expect(first.output().standardError == "Terminated. Run the same command again.\n")
        var empty = Scene(PlainReporter(expected: 1, quiet: false))
        let job = try Scene.job(1, "http://h/a")
        empty.take(.event(job, Scene.started("a", 100)))
        empty.take(.event(job, .failed(.stopped(.nothingKept))))
        empty.take(Scene.closing(.interrupt))
        #expect(empty.output().standardError.hasSuffix("Interrupted. Run the same command again to start over.\n"))
    }

    @Test func standardOutputGetsNothing() throws {
        var scene = Scene(PlainReporter(expected: 1, quiet: false))
        scene.take(.event(try Scene.job(1, "http://h/a"), Scene.finished("a", 1)))
        #expect(scene.output().standardOutput.isEmpty)
    }
}

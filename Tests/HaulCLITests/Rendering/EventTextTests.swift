import HaulCore
import Testing

@testable import HaulCLI

@Suite struct EventTextTests {
    private static func failed(_ error: DownloadError, name: String, path: String? = nil, of job: GetJob) -> String {
        var given: Set<String> = []
        return EventText.failed(error, name: name, path: path, of: job, given: &given)
    }

    private func facts(session: Int64 = 64 << 20, seconds: Double = 12, kept: Bool = false) throws -> FinishFacts {
        let sum = try Checksum(.sha256, hex: String(repeating: "a", count: 64))
        return FinishFacts(
            path: "/d/name", totalBytes: 64 << 20, sessionBytes: session, seconds: seconds, verified: sum, kept: kept)
    }

    @Test func finishedSaysHowMuchAndHowFast() throws {
        #expect(
            EventText.finished(try facts(), insecure: false)
                == "name  64.0 MiB in 12.0 s, 5.3 MiB/s, verified by sha-256 (given)")
        var unknown = try facts(session: 32 << 20)
        unknown.verification = .size
        #expect(
            EventText.finished(unknown, insecure: true)
                == "name  64.0 MiB in 12.0 s, 32.0 MiB resumed, 2.6 MiB/s, no checksum available, insecure"
        )
        #expect(
            EventText.finished(unknown, insecure: false, isCompared: true)
                .contains(", 32.0 MiB existed and were compared, "))
        #expect(
            EventText.finished(try facts(session: 0, seconds: 0, kept: true), insecure: false)
                == "name  64.0 MiB, kept: verified by sha-256 (given)")
        var skipped = try facts(session: 0, seconds: 0, kept: true)
        skipped.verification = .nothing
        #expect(
            EventText.finished(skipped, insecure: false) == "name  64.0 MiB, skipped: file exists")
        #expect(!EventText.finished(try facts(seconds: 0), insecure: false).contains("/s"))
        #expect(!EventText.finished(try facts(session: 15), insecure: false).contains("/s"))
    }

    /// Those that go on without a watcher have not ended, and how many there are is not counted.
    @Test func aWatcherThatLeavesKnowsOnlyWhatIsComplete() throws {
        var tally = Tally()
        let job = GetJob(id: 1, url: try SourceURL(parsing: "http://h/name"))
        tally.take(.event(job, .finished(try facts())))
        let size = ByteCount.string(try facts().sessionBytes)
        for (watches, text) in [(true, "1 complete, \(size)"), (false, "1 of 1 complete, \(size) in 3.0 s")] {
            let closing = Closing(stop: nil, seconds: 3, resumes: true, onConflict: .fail, watches: watches)
            #expect(EventText.summary(tally, closing: closing, expected: 5) == text)
        }
    }

    @Test("a run that is cut short counts the downloads that were not started")
    func notStarted() throws {
        var tally = Tally()
        let url = try SourceURL(parsing: "http://h/name")
        for id in 1...2 {
            tally.take(.event(GetJob(id: id, url: url), .failed(DownloadError(.cancelled, "stopped"))))
        }
        tally.take(.cutShort)
        let closing = Closing(stop: .interrupt, seconds: 3, resumes: true, onConflict: .fail)
        let text = EventText.summary(tally, closing: closing, expected: 30)
        #expect(text == "0 of 30 complete, 2 stopped, 28 not started, 0 B in 3.0 s")
        #expect(EventText.summary(tally, closing: closing) == "0 complete, 2 stopped, 0 B in 3.0 s")
    }

    @Test func namesAndMessagesCannotMoveTheCursor() throws {
        var bad = try facts()
        bad.path = "/d/a\u{1B}[2Jb\n"
        #expect(EventText.finished(bad, insecure: false).hasPrefix("a\u{FFFD}[2Jb\u{FFFD}  "))
        let error = DownloadError(.notFound, "gone\r", cause: "404\u{1B}c")
        let job = try Scene.job(1, "http://me:secret@h/a?key=secret")
        #expect(
            Self.failed(error, name: "n", of: job)
                == "haul: n: gone\u{FFFD} (404\u{FFFD}c) <http://h/a?key=REDACTED>")
        #expect(EventText.notice(.partialQuarantined(reason: "\u{7}"), name: "n").hasSuffix(": \u{FFFD}"))
    }

    @Test(
        "failures name the line of the list, and the URL if they have to do with it",
        arguments: [
            (DownloadError.Code.notFound, true), (.nameNotResolved, true), (.connectionFailed, true),
            (.tlsFailed, true), (.fileFailed, false), (.destinationExists, false), (.invalidRequest, false),
        ])
    func failuresNameTheirPlace(code: DownloadError.Code, namesURL: Bool) throws {
        let url = try SourceURL(parsing: "http://h:81/n")
        let error = DownloadError(code, "it failed")
        let advice =
            code == .destinationExists
            ? "; choose another name, or add --on-conflict keep, skip, replace or rename; if another program left it unfinished: --continue"
            : ""
        let end = (namesURL ? " <http://h:81/n>" : "") + advice
        for (list, line, start) in [
            (nil, nil, ""), ("urls.txt", 7, "urls.txt, line 7: "), ("-", 1, "standard input, line 1: "),
        ] as [(String?, Int?, String)] {
            let job = GetJob(id: 1, url: url, line: line, list: list)
            #expect(Self.failed(error, name: "n", of: job) == "haul: \(start)n: it failed\(end)")
        }
        let reported = DownloadError(code, "http://h:81/n failed")
        #expect(
            Self.failed(reported, name: "n", of: GetJob(id: 1, url: url))
                == "haul: n: http://h:81/n failed\(advice)")
    }

    @Test("what to type after a failure stands at the end")
    func whatToType() throws {
        let job = GetJob(id: 1, url: try SourceURL(parsing: "http://h/f"))
        let expired = DownloadError(.linkExpired, "it has expired")
        #expect(
            Self.failed(expired, name: "n", path: "d/e", of: job)
                == "haul: n: it has expired <http://h/f>; to resume: haul get -o d/e 'NEW-URL'")
        #expect(Self.failed(expired, name: "n", of: job).hasSuffix("haul get -o n 'NEW-URL'"))
    }

    @Test func badLinesNameListAndLine() {
        #expect(
            EventText.badLine(BadLine(id: 1, list: "urls.txt", line: 7, message: "no"))
                == "haul: urls.txt, line 7: no")
        #expect(
            EventText.badLine(BadLine(id: 1, list: "-", line: 1, message: "no"))
                == "haul: standard input, line 1: no")
        #expect(EventText.badLine(BadLine(id: 1, list: "urls.txt", line: 0, message: "no")) == "haul: urls.txt: no")
    }

    @Test func noticesAreSentences() {
        #expect(
            EventText.notice(.sourceChanged, name: "n").hasPrefix("n: the file differs from the data received before"))
        #expect(EventText.notice(.rangesIgnored, name: "n").hasPrefix("n: the server sends only the whole file"))
        #expect(
            EventText.notice(.fewerConnections(2), name: "n")
                == "n: the server refused a further connection: continuing with 2")
    }

    @Test func waitsSayWhy() {
        let failure = DownloadError(.connectionFailed, "reset")
        #expect(
            WaitText.text(.serverAsked(status: 429), left: .milliseconds(11_200))
                == "waiting 12s: 429 Too Many Requests")
        #expect(
            WaitText.text(.serverAsked(status: 503), left: .zero)
                == "retrying: 503 Service Unavailable")
        #expect(
            WaitText.text(.retrying(failure, attempt: 2), left: .seconds(1)) == "waiting 1s: attempt 2 failed: reset")
        #expect(
            WaitText.text(.connections(host: "h", limit: 1), left: .seconds(9))
                == "waiting 9s: other downloads use the one connection that h allows")
        #expect([-1, .nan, .infinity].map(WaitText.duration) == [.zero, .zero, .zero])
    }

    @Test func startAndProgressArePlainLines() {
        let start = StartFacts(path: "n", totalBytes: nil, resumedBytes: 2048, insecure: true)
        #expect(
            EventText.started(start)
                == "n  started, size unknown, 2.0 KiB resumed, insecure: certificates are not checked")
        var row = Row(name: "n", gauge: .filled(0.5))
        row.bytes = 1024
        row.totalBytes = 2048
        row.speed = 512
        row.secondsLeft = 2
        row.connections = 1
        #expect(EventText.progress(row) == "n  50 %, 1.0 KiB of 2.0 KiB, 512 B/s, 2s left, 1 connection")
    }
}

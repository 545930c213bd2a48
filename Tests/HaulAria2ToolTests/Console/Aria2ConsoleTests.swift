import Foundation
import HaulAria2
import HaulAria2Tool
import HaulCore
import Testing

@Suite("What aria2c prints")
struct Aria2ConsoleTests {
    static func snapshot(_ state: DownloadState, _ progress: TransferProgress = TransferProgress(), id: Int64 = 1)
        -> DownloadSnapshot
    {
        let spec = DownloadSpec(url: "http://a/b?key=secret", destination: .folder(path: "/d"))
        return DownloadSnapshot(
            id: DownloadID(rawValue: id), key: "aria2:\(String(repeating: "\(id)", count: 16))", spec: spec,
            state: state,
            path: nil, progress: progress, added: Date(timeIntervalSince1970: 0),
            changed: Date(timeIntervalSince1970: 0))
    }

    @Test(
        "amounts",
        arguments: [
            (0, "0B"), (-1, "0B"), (921, "921B"), (922, "0.9KiB"), (1023, "0.9KiB"), (1024, "1.0KiB"), (1536, "1.5KiB"),
            (10240, "10KiB"), (921 << 10, "921KiB"), (922 << 10, "0.9MiB"), (3 << 29, "1.5GiB"), (.max, "7.9EiB"),
        ] as [(Int64, String)])
    func amounts(count: Int64, text: String) {
        #expect(Aria2Amount.bytes(count) == text)
        #expect(Aria2Amount.bytes(max(0, count), isReadable: false) == "\(max(0, count))B")
    }

    @Test(
        "times",
        arguments: [(0, "0s"), (59, "59s"), (60, "1m"), (291, "4m51s"), (3600, "1h"), (3661, "1h1m1s"), (-5, "0s")]
            as [(Int64, String)])
    func times(seconds: Int64, text: String) {
        #expect(Aria2Amount.time(seconds) == text)
    }

    @Test("the name of a download in the log has its URL without secrets")
    func name() {
        #expect(Aria2Texts.name(of: Self.snapshot(.running)) == "#111111 from http://a/b?key=REDACTED")
    }

    @Test("the line that wrappers read")
    func readout() {
        let progress = TransferProgress(
            fileBytes: 1 << 20, sessionBytes: 1 << 20, totalBytes: 10 << 20, speed: 1_200_000, averageSpeed: 1,
            secondsLeft: 8.9, connections: 5)
        let one = Self.snapshot(.running, progress)
        #expect(Aria2Readout([one], speed: 0).text == "[#111111 1.0MiB/10MiB(10%) CN:5 DL:1.1MiB ETA:8s]")
        let unknown = Self.snapshot(
            .running, TransferProgress(fileBytes: 5, speed: .nan, secondsLeft: .infinity), id: 2)
        #expect(Aria2Readout([unknown], speed: 0).text == "[#222222 5B/0B CN:0 DL:0B]")
        #expect(
            Aria2Readout([one, unknown], speed: 1024).text == "[DL:1.0KiB][#111111 1.0MiB/10MiB(10%)][#222222 5B/0B]")
        let many = (1...9).map { Self.snapshot(.running, id: Int64($0)) }
        #expect(Aria2Readout(many, speed: 0).text.hasSuffix("(+4)"))
        #expect(Aria2Readout([], speed: 0).text.isEmpty)
    }

    @Test("the table at the end, and the number that the process exits with: that of the last failure")
    func results() {
        var results = Aria2Results()
        #expect(results.exitCode == .none && results.text(isFull: false).isEmpty)
        let facts = FinishFacts(
            path: "/d/b", totalBytes: 2048, sessionBytes: 2048, seconds: 2, verified: nil, kept: false)
        results.take(Self.snapshot(.finished(facts)))
        #expect(results.text(isFull: false).contains("\n111111|OK  |   1.0KiB/s|/d/b\n"))
        #expect(results.text(isFull: false).contains("(OK):download completed."))
        #expect(results.exitCode == .none)
        results.take(Self.snapshot(.failed(DownloadError(.notFound, "gone")), id: 2))
        results.take(Self.snapshot(.failed(DownloadError(.timedOut, "late")), id: 3))
        #expect(results.exitCode == .timeout)
        results.take(Self.snapshot(.running, id: 4))
        #expect(results.exitCode == .timeout)
        #expect(results.text(isFull: true).contains("\n222222|ERR |        n/a|  -|http://a/b?key=REDACTED\n"))
        var unfinished = Aria2Results()
        unfinished.take(Self.snapshot(.paused(.asked)))
        #expect(unfinished.exitCode == .unfinished)
        unfinished.take(Self.snapshot(.cancelled(keptPartial: true)))
        #expect(unfinished.rows.count == 1 && unfinished.exitCode == .none)
        // One that was stopped has the speed it had until then; results that were removed do not count.
        unfinished.take(Self.snapshot(.paused(.asked), id: 2), speed: 2048)
        unfinished.take(Self.snapshot(.failed(DownloadError(.notFound, "gone")), id: 3))
        #expect(unfinished.text(isFull: false).contains("|INPR|   2.0KiB/s|"))
        unfinished.keep([GID(of: Self.snapshot(.running, id: 2))])
        #expect(unfinished.rows.count == 1 && unfinished.exitCode == .unfinished)
    }

    @Test("the numbers of failures: each kind has one, and what programs rely on is as aria2's manual says")
    func codes() {
        for code in DownloadError.Code.allCases {
            #expect((1...32).contains(Aria2ErrorCode(DownloadError(code, "x")).rawValue))
        }
        let known: [(DownloadError.Code, Int32)] = [
            (.timedOut, 2), (.notFound, 3), (.connectionFailed, 1), (.tlsFailed, 1), (.noSpace, 9),
            (.destinationExists, 13),
            (.nameNotResolved, 19),
            (.redirectRefused, 23), (.notAuthorized, 24), (.serverBusy, 29), (.checksumMismatch, 32),
            (.invalidRequest, 28),
        ]
        for (code, number) in known { #expect(Aria2ErrorCode(DownloadError(code, "x")).rawValue == number) }
        #expect(Aria2Texts.version.hasPrefix("aria2 version 1.37.0\n"))
    }

    @Test("statuses end as with aria2 1.36, and two options have numbers of their own")
    func statuses() {
        let ends: [(DownloadError.Code, Int, Int32)] = [
            (.notAuthorized, 401, 24), (.notAuthorized, 403, 22), (.notAuthorized, 407, 22), (.linkExpired, 403, 22),
            (.notFound, 404, 3), (.notFound, 410, 22), (.serverBusy, 429, 22), (.serverBusy, 500, 22),
            (.serverBusy, 502, 29), (.serverBusy, 503, 29), (.serverBusy, 504, 29),
        ]
        for (code, status, number) in ends {
            #expect(Aria2ErrorCode(DownloadError(code, "x").of(status: status)).rawValue == number, "\(status)")
        }
        var spec = DownloadSpec(url: "http://a/b", destination: .folder(path: "/"))
        (spec.retries, spec.tuning.notFoundRetries, spec.tuning.failsWhenSlow) = (4, 1, true)
        let missing = DownloadError(.notFound, "x").of(status: 404)
        #expect(Aria2ErrorCode(missing, of: spec) == .maxFileNotFound)
        #expect(Aria2ErrorCode(DownloadError(.timedOut, "x"), of: spec) == .tooSlow)
        // The tries are used up before.
        spec.tuning.notFoundRetries = 5
        #expect(Aria2ErrorCode(missing, of: spec) == .notFound)
    }

    @Test("the help lists what has an effect, and nothing else")
    func help() {
        let names = Aria2Texts.help.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("--") }?.dropFirst(2)
        }
        #expect(Set(names.map(String.init)) == Set(Aria2Option.table.filter { $0.scope.contains(.heeded) }.map(\.name)))
        for name in ["max-connection-per-server", "retry-wait", "log"] { #expect(names.contains { $0 == name }) }
        for name in ["bt-tracker", "disk-cache", "dry-run", "torrent-file"] { #expect(!names.contains { $0 == name }) }
    }

    @Test("the summary names each download and its file")
    func summary() {
        let text = Aria2Readout([Self.snapshot(.running, id: 1)], speed: 0).summary(at: "now")
        #expect(
            text.contains("Download Progress Summary as of now") && text.contains("\nFILE: http://a/b?key=REDACTED\n"))
        #expect(Aria2Readout([], speed: 0).summary(at: "now").isEmpty)
    }
}

import ArgumentParser
import Foundation
import HaulCore
import HaulWire
import Testing

@testable import HaulCLI

@Suite("Downloads in words")
struct QueueTextTests {
    private func message(
        _ state: DownloadState, path: String? = "/f/a.iso", total: Int64? = 2048
    ) -> DownloadMessage {
        var spec = DownloadSpec(url: "http://h/a.iso", destination: .folder(path: "/f"))
        (spec.group, spec.priority) = ("g", 5)
        let time = Date(timeIntervalSince1970: 0)
        return DownloadMessage(
            DownloadSnapshot(
                id: DownloadID(rawValue: 12), key: "k", spec: spec, state: state, path: path,
                progress: TransferProgress(fileBytes: 1024, totalBytes: total, speed: 512), added: time, changed: time))
    }

    @Test func lines() {
        let text = ListText(width: nil)
        #expect(text.line(message(.running)) == "   12 running     50 %   2.0 KiB     512 B/s  a.iso")
        #expect(
            text.line(message(.waiting(.turn(limit: 3)), total: nil)).hasSuffix("a.iso  (\(WaitReason.turn(limit: 3)))")
        )
        #expect(text.line(message(.failed(DownloadError(.notFound, "it is gone")))).hasSuffix("  (it is gone)"))
    }

    @Test("what a download can't go on without is said with what to type, and a failure with its cause")
    func commands() {
        let expired = DownloadError(.linkExpired, "the server returned 403").of(status: 403)
        let text = ListText(width: nil)
        #expect(
            text.line(message(.waiting(.linkExpired(expired))))
                .hasSuffix("  (the link has expired (403 Forbidden): haul set 12 --url 'NEW-URL')"))
        let failed = message(.failed(DownloadError(.connectionFailed, "it broke", cause: "reset")))
        #expect(text.line(failed).hasSuffix("  (it broke (reset))"))
        #expect(ShowText.lines(failed, nil).contains("next      haul retry 12"))
        #expect(ShowText.lines(message(.paused(.asked)), nil).contains("next      haul resume 12"))
        let taken = message(.failed(DownloadError(.destinationExists, "file exists: /f/a.iso")))
        #expect(taken.whatToType?.contains("haul add it with --on-conflict replace or rename") == true)
        #expect(message(.running).whatToType == nil)
        #expect(message(.waiting(.credentials)).whatToType == "add it again with haul add, and its password or token")
    }

    @Test("no value of a query is shown, in no field")
    func secrets() throws {
        var spec = DownloadSpec(url: "https://h/a?token=hush&x=hush", destination: .file(path: "/f/a"))
        spec.mirrors = [DownloadSpec.Mirror(url: "https://m/a?sig=hush")]
        spec.headers = [DownloadSpec.Header(name: "Referer", value: "https://r/?k=hush")]
        let time = Date(timeIntervalSince1970: 0)
        let download = DownloadMessage(
            DownloadSnapshot(
                id: DownloadID(rawValue: 1), key: spec.canonicalKey, spec: spec, state: .paused(.asked), path: nil,
                progress: TransferProgress(), added: time, changed: time))
        let shown = String(decoding: try WireJSON.encode(download.redacted), as: UTF8.self)
        #expect(!shown.contains("hush") && shown.contains("token=REDACTED"), "\(shown)")
        #expect(ShowText.lines(download.redacted, nil).contains("url       https://h/a?token=REDACTED&x=REDACTED"))
        #expect(String(decoding: try WireJSON.encode(download), as: UTF8.self).contains("hush"))
    }

    @Test("a name full of escapes is no command to the terminal, and no line is too long", arguments: [20, 40, 80])
    func hostile(width: Int) {
        let line = ListText(width: width).line(
            message(.running, path: "/f/\u{1B}[2J\u{202E}evil\n\(String(repeating: "x", count: 99))"))
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(TerminalText.width(line) <= width)
    }

    @Test("a long reason does not hide the name", arguments: [80, 120])
    func names(width: Int) {
        let reason = DownloadError(.notFound, String(repeating: "not there ", count: 20))
        let line = ListText(width: width).line(message(.failed(reason)))
        #expect(line.contains("a.iso  (not") && line.hasSuffix(")") && TerminalText.width(line) <= width)
    }

    @Test func show() {
        let factor = #"{"factors":[{"share":0.5,"message":"the server is slow"}]}"#
        let explanation = try? WireJSON.decode(ExplanationMessage.self, from: Data(factor.utf8))
        let lines = ShowText.lines(message(.running), explanation)
        #expect(lines.contains("download  12  a.iso"))
        #expect(lines.contains("url       http://h/a.iso"))
        #expect(lines.contains("done      1.0 KiB of 2.0 KiB, 50 %"))
        #expect(lines.contains("priority  5"))
        #expect(lines.contains("why       50 % of the time: the server is slow"))
        #expect(!lines.contains { $0.hasPrefix("verified") })
    }

    @Test("every command is in the manual page, and no line of it is a request by accident")
    func manual() throws {
        let page = try ManualPage.text(dump: HaulCommand._dumpHelp(), version: "1.2.3")
        for command in HaulCommand.configuration.subcommands where command.configuration.shouldDisplay {
            let name = try #require(command.configuration.commandName)
            #expect(page.contains(".SH \"HAUL \(name.uppercased())\""), "\(name)")
        }
        #expect(page.contains(".B \\-c, \\-\\-connections <n>"))
        let requests: Set = [".TH", ".SH", ".B", ".I", ".PP", ".nf", ".fi", ".TP"]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(line.split(separator: " ").first.map(String.init) ?? ""), "\(line)")
        }
        #expect(throws: DownloadError.self) { try ManualPage.text(dump: "{}", version: "1") }
        let one = try ManualPage.text(dump: HaulCommand._dumpHelp(), version: "1", of: ["daemon", "run"])
        #expect(one.hasPrefix(".TH HAUL\\-DAEMON\\-RUN 1 ") && one.contains("\nhaul\\-daemon\\-run \\- "), "\(one)")
        #expect(one.contains("\\-\\-state\\-folder") && !one.contains(".SH \"HAUL"))
        for words in [["nonsense"], ["get", "run"], ["help"]] {
            #expect(throws: DownloadError.self) {
                try ManualPage.text(dump: HaulCommand._dumpHelp(), version: "1", of: words)
            }
        }
    }

    @Test("one that was in the list already is told so, with what to do", arguments: DownloadState.Kind.allCases)
    func already(state: DownloadState.Kind) {
        let id = DownloadID(rawValue: 7)
        #expect(AddRun.line(id, "a", already: nil) == "added 7  a")
        #expect(AddRun.line(id, "a", already: nil, to: "/d") == "added 7  a  to /d")
        #expect(AddRun.line(id, "a", already: state, to: "/d").contains("  a  to /d"))
        let checked = AddRun.line(id, "a", already: state, hasChecksum: true)
        #expect(checked.hasSuffix("; the file has this checksum") == (state == .finished))
        let line = AddRun.line(id, "a", already: state)
        #expect(line.hasPrefix(state == .finished ? "already downloaded as #7" : "already in the list as #7, \(state)"))
        #expect(line.contains("  a"))
        let command: [DownloadState.Kind: String] = [
            .paused: "haul resume 7", .failed: "haul retry 7", .cancelled: "haul retry 7", .finished: "haul retry 7",
        ]
        #expect(command[state].map { line.contains($0) } ?? !line.contains("haul"))
    }

    @Test(
        "a rate and a number that have changed places are noticed, and nothing else is",
        arguments: [
            ("2", "100K", true), ("2", "none", true), ("2-5", "1M", true), ("100K", "2", false), ("100", "2", false),
            ("none", "2", false), ("2", "x", false), ("x", "100K", false),
        ])
    func turnedRound(rate: String, id: String, expected: Bool) {
        #expect(LimitCommand.isTurnedRound(rate, id) == expected)
    }

    @Test("what was only watched is counted where something has ended", arguments: [false, true])
    func watched(ended: Bool) throws {
        for reporter in [
            PlainReporter(expected: nil, quiet: false),
            TerminalReporter(style: Style(unicode: true, colour: false), expected: nil),
        ] as [any Reporter] {
            var scene = Scene(reporter)
            let job = try Scene.job(1, "http://h/a")
            scene.take(.event(job, Scene.started("/f/a", 9)))
            if ended { scene.take(.event(job, Scene.finished("/f/a", 9))) }
            scene.take(.closed(Closing(stop: nil, seconds: 1, resumes: true, onConflict: .fail, watches: true)))
            #expect(scene.output().standardError.contains(" complete") == ended)
        }
    }

    @Test(
        "the page's URL, whatever the daemon listens on",
        arguments: [
            ("127.0.0.1", "http://127.0.0.1:80/"), ("0.0.0.0", "http://127.0.0.1:80/"), ("::", "http://[::1]:80/"),
            ("::1", "http://[::1]:80/"), ("localhost", "http://localhost:80/"),
        ])
    func pages(_ address: String, _ url: String) { #expect(PageDoor.url(address: address, port: 80) == url) }
}

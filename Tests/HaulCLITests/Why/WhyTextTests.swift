import HaulCore
import Testing

@testable import HaulCLI

@Suite struct WhyTextTests {
    private static let plain = Style(unicode: false, colour: false)

    private func lines(_ record: GetRecord, isRunning: Bool = false, _ style: Style = plain) -> [String] {
        WhyText(record, isRunning: isRunning, style: style).text.split(separator: "\n").map(String.init)
    }

    @Test func itIsASentenceForEachFactorAndALineForEachConnection() {
        let lines = lines(WhySample.get([WhySample.transfer(2)]))
        #expect(
            lines == [
                "haul get, process 4711, ended after 8.0 s",
                "big.iso  31.0 MiB of 64.0 MiB in 8.0 s, 3.8 MiB/s",
                "  https://example.org/big.iso",
                "  100 %  the server limits each connection to 3.0 MiB/s: 6 connections reached",
                "         18.0 MiB/s",
                "  100 %  Haul used at most 6 connections, its default: more would probably be",
                "         faster (--connections 12)",
                "    #  begins  answer     bytes  0                          8.0 s",
                "    1   0.0 s   50 ms  15.5 MiB  _...::::----====++++****%%%%#### complete",
                "    2   0.0 s   50 ms  15.5 MiB  _...::::----====++++****%%%%#### taken over",
            ])
    }

    @Test func dataThatWasReceivedTwiceIsToldApart() {
        var record = WhySample.transfer(2)
        record.totalBytes = 30 << 20
        let lines = lines(WhySample.get([record]))
        #expect(lines[1] == "big.iso  30.0 MiB of 30.0 MiB in 8.0 s, 3.8 MiB/s")
        #expect(lines[3] == "  1.0 MiB received twice")
    }

    @Test func mirrorsAreNamedWithTheReasonWhyTheyAreNotUsed() {
        var record = WhySample.transfer(2)
        record.sources = [
            SourceRecord(url: "https://example.org/big.iso", bytes: 60 << 20),
            SourceRecord(url: "https://a.example.org/big.iso", bytes: 4 << 20, problem: "slower than other sources"),
            SourceRecord(url: "https://b.example.org/big.iso", problem: "connection refused"),
            SourceRecord(url: "https://c.example.org/big.iso", bytes: 1 << 20),
        ]
        #expect(
            lines(WhySample.get([record]))[2...6] == [
                "  https://example.org/big.iso",
                "  mirror https://a.example.org/big.iso: 4.0 MiB; slower than other sources",
                "  mirror https://b.example.org/big.iso: not used; connection refused",
                "  mirror https://c.example.org/big.iso: 1.0 MiB",
                "  100 %  the server limits each connection to 3.0 MiB/s: 6 connections reached",
            ])
        record.sources?[0].problem = "404 Not Found"
        #expect(lines(WhySample.get([record])).contains("  main source: 60.0 MiB; 404 Not Found"))
    }

    @Test(arguments: [0, 1, 2, 31, 32, 33, 256], [1, 3])
    func noLineIsWiderThanTheTerminal(connections: Int, hosts: Int) {
        var record = WhySample.transfer(connections, seconds: 123_456, hosts: hosts)
        record.url = "https://example.org/" + String(repeating: "long/", count: 60)
        record.refusalCount = 1 << 30
        record.refusals = [RefusalRecord(time: 0, connections: 1 << 30, status: 503)]
        record.failure = .unexpectedStatus
        record.proxy = String(repeating: "proxy.", count: 30)
        var get = WhySample.get([record, record])
        get.downloads[1].name = String(repeating: "語", count: 80)
        get.others = GetRecord.Others(count: 1 << 30, bytes: .max, seconds: 1e11, asking: 1e10)
        for style in [Self.plain, Style(unicode: true, colour: false)] {
            for line in lines(get, style) {
                #expect(TerminalText.width(line) <= WhyText.width, "\(line)")
            }
        }
    }

    @Test func allEndsHaveAWord() {
        let record = WhySample.transfer(ConnectionEnd.allCases.count)
        let rows = lines(WhySample.get([record])).suffix(ConnectionEnd.allCases.count)
        let words = rows.compactMap { $0.split(separator: "# ").last.map(String.init) }
        #expect(Set(words).count == ConnectionEnd.allCases.count)
        #expect(words.contains("refused, 503"))
    }

    @Test func runningEndedAndKilledAreTold() {
        var get = WhySample.get([WhySample.transfer(1)])
        #expect(lines(get)[0].contains("ended after 8.0 s"))
        get.isOver = false
        get.downloads[0].record.isOver = false
        #expect(lines(get, isRunning: true)[0].contains("running for 8.0 s"))
        #expect(lines(get, isRunning: true)[1].hasSuffix("running"))
        #expect(lines(get)[0].contains("ended unexpectedly"))
    }

    @Test func jobsAreAFactorWhereAllPlacesWereTaken() {
        var get = WhySample.get([WhySample.transfer(1)])
        get.busySeconds = 6
        #expect(!lines(get).contains { $0.contains("--jobs") })
        get.others.count = 3
        #expect(lines(get).contains { $0.contains("--jobs 6") })
        get.busySeconds = 1
        #expect(!lines(get).contains { $0.contains("--jobs") })
    }

    @Test func ofManyTheFiveThatTookLongestAreTold() {
        var get = WhySample.get((1...8).map { WhySample.transfer(1, seconds: Double($0 % 4) + 1) })
        for (id, _) in get.downloads.enumerated() {
            get.downloads[id].id = id
            get.downloads[id].name = "f\(id)"
        }
        let names = lines(get).filter { $0.hasPrefix("f") }.map { $0.prefix(2) }
        #expect(names.count == 5 && names.sorted() == names && Set(names).isSuperset(of: ["f1", "f2", "f5", "f6"]))
        #expect(lines(get).last == "and 3 more: haul why --all")
        let all = WhyText(get, isRunning: false, showsAll: true, style: Self.plain).text
        #expect(all.split(separator: "\n").count { $0.hasPrefix("f") } == 8 && !all.contains("--all"))
    }

    @Test func whatServersSayCannotSteerTheTerminal() {
        var get = WhySample.get([WhySample.transfer(1)])
        get.downloads[0].name = "a\u{1B}[31m\nb"
        get.downloads[0].record.url = "http://h/\u{1B}]0;x\u{7}"
        get.downloads[0].record.proxy = "p\u{1B}[2J"
        let text = WhyText(get, isRunning: false, style: Self.plain).text
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
    }

    private func lines(_ record: GetRecord, _ style: Style) -> [String] { lines(record, isRunning: false, style) }
}

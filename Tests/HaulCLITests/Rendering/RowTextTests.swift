import HaulCore
import Testing

@testable import HaulCLI

@Suite struct RowTextTests {
    private static let style = Style(unicode: true, colour: false)

    private static var row: Row {
        var row = Row(name: "debian-12.5.0-amd64-netinst.iso", gauge: .filled(0.43))
        row.bytes = 270 << 20
        row.totalBytes = 629 << 20
        row.speed = Double(12 << 20)
        row.secondsLeft = 30
        row.connections = 6
        return row
    }

    private func line(_ row: Row, width: Int) -> String {
        let columns = Columns(width: width, maxName: TerminalText.width(row.name), insecure: row.insecure)
        return RowText.line(row, columns: columns, style: Self.style)
    }

    @Test func wideWindowsShowEverything() {
        #expect(
            line(Self.row, width: 119)
                == "debian-12.5.0-amd64-netinst.iso  ███████████▏──────────────   43 %  270.0 MiB / 629.0 MiB"
                + "   12.0 MiB/s     30s   6 conn")
    }

    @Test func sixtyColumnsShowEverythingShort() {
        #expect(line(Self.row, width: 59) == "debian…t.iso ███────  43 % 270.0 MiB  12.0 MiB/s    30s  6×")
    }

    @Test(arguments: [
        (45, "debian-12…tinst.iso ███▍────  43 %"), (40, "d"), (30, "d"), (19, "d"), (12, "debian…t.iso"), (5, "de…so"),
        (1, "…"), (0, ""),
    ])
    func narrowWindowsDropColumns(width: Int, start: String) {
        let text = line(Self.row, width: width)
        #expect(text.hasPrefix(String(start.prefix(1))))
        #expect(TerminalText.width(text) <= width)
        if width <= 12 { #expect(text == start) }
        #expect(text.contains("43 %") == (width >= 18))
        #expect(text.contains("MiB/s") == (width >= 37))
        #expect(text.contains("30s") == (width >= 44))
    }

    @Test(arguments: [false, true], 0...200) func noLineIsEverTooWide(insecure: Bool, width: Int) {
        var rows = [Self.row, Self.row, Self.row, Self.row, Row(name: "日本語のとても長いファイル名🎉.zst", gauge: .moving(step: 7))]
        rows[1].gauge = .words("waiting 12s: the server returned 429, and a good deal more than fits any window")
        rows[2].gauge = .facts(["1 of 6 complete", "26.0 MiB/s", "1 failed", "403.2 MiB"])
        rows[3].bytes = .max
        rows[3].totalBytes = .max
        rows[3].speed = 1e30
        rows[3].secondsLeft = 1e30
        rows[3].connections = 1_000_000
        for index in rows.indices {
            rows[index].insecure = insecure
            let text = line(rows[index], width: width)
            #expect(TerminalText.width(text) <= width, "\(text)")
        }
    }

    @Test func wordsStandInTheBarsPlace() {
        var row = Self.row
        row.name = "a.iso"
        row.gauge = .words("waiting 12s: the server said 429")
        #expect(line(row, width: 59) == "a.iso        waiting 12s: the server said 429")
    }

    @Test func factsThatDoNotFitAreLeftOut() {
        let row = Row(name: "total", gauge: .facts(["1 of 6 complete", "26.0 MiB/s", "1 failed"]))
        #expect(line(row, width: 119).hasSuffix("1 of 6 complete, 26.0 MiB/s, 1 failed"))
        #expect(line(row, width: 44).hasSuffix("1 of 6 complete, 26.0 MiB/s"))
        #expect(line(row, width: 30).hasSuffix("1 of 6 complete"))
    }

    @Test func insecureIsShown() {
        var row = Self.row
        row.insecure = true
        #expect(line(row, width: 119).contains("iso  insecure  █"))
        #expect(line(row, width: 59).contains(" insecure █"))
        #expect(line(row, width: 27).hasSuffix("43 %"))
    }
}

import HaulBatch
import HaulCore
import Testing

@testable import HaulCLI

@Suite struct BatchBarTests {
    private static let plain = Style(unicode: false, colour: false)

    private func report(ok: Int, failed: Int = 0, read: Int64, at bytes: Int64, of size: Int64?, isAll: Bool = false)
        -> BatchReport
    {
        var tally = BatchTally()
        for _ in 0..<ok { tally.count(.ok, error: nil, bytes: 1 << 20, host: "h") }
        for _ in 0..<failed { tally.count(.failed, error: "notFound", bytes: nil, host: "h") }
        tally.estimate.read(read, at: bytes, of: size)
        if isAll { tally.estimate.end() }
        return BatchReport(tally, at: 10, since: (BatchTally(), 0), isFinal: false)
    }

    @Test func `the rows are estimated from the part of the manifest that was read`() {
        let line = BatchBar.line(report(ok: 100, read: 200, at: 100, of: 500), width: 100, style: Self.plain)
        #expect(
            line == "100 of ~1000 rows  ####" + String(repeating: "-", count: 36)
                + "  10 %  10 rows/s  10.0 MiB/s  1m30s")
    }

    @Test func `failures are shown, and the exact number once the manifest was read`() {
        let line = BatchBar.line(
            report(ok: 90, failed: 10, read: 200, at: 500, of: 500, isAll: true), width: 200, style: Self.plain)
        #expect(
            line.hasPrefix("100 of 200 rows  ####") && line.hasSuffix("  50 %  10 rows/s  9.0 MiB/s  10s  10 failed"))
    }

    @Test func `a pipe has a moving bar`() {
        let line = BatchBar.line(report(ok: 100, read: 200, at: 100, of: nil), width: 80, style: Self.plain)
        #expect(line.hasPrefix("100 rows  --") && line.contains("####") && !line.contains("%"))
    }

    @Test(arguments: 0...200)
    func `it is never wider than its room, and shows the most important first`(width: Int) {
        let report = report(ok: 12_345, failed: 678, read: 50_000, at: 100, of: 500)
        for style in [Self.plain, Style(unicode: true, colour: false)] {
            let line = BatchBar.line(report, width: width, style: style)
            #expect(TerminalText.width(line) <= width)
            if line.contains("MiB/s") { #expect(line.contains("failed") && line.contains("%")) }
            if width >= 60 { #expect(line.contains("13023 of ~250000 rows") && line.contains("rows/s")) }
        }
    }
}

import HaulCore
import Testing

@Suite("ContentRange: RFC 9110, section 14.4")
struct ContentRangeTests {
    @Test(
        "every small first, last and total is taken exactly where it makes sense",
        arguments: 0...6 as ClosedRange<Int64>)
    func smallNumbers(first: Int64) {
        for last in 0...7 as ClosedRange<Int64> {
            let range = ByteRange(first, last + 1)
            let open = ContentRange(parsing: "bytes \(first)-\(last)/*")
            #expect(open == (first <= last ? .range(range, total: nil) : nil))
            for total in 0...9 as ClosedRange<Int64> {
                let parsed = ContentRange(parsing: "bytes \(first)-\(last)/\(total)")
                let makesSense = first <= last && last < total
                #expect(parsed == (makesSense ? .range(range, total: total) : nil))
            }
        }
    }

    @Test(
        "spellings",
        arguments: [
            ("bytes 0-9/10", "bytes 0-9/10"), (" BYTES   0-9/10 ", "bytes 0-9/10"), ("bytes\t0-9/*", "bytes 0-9/*"),
            ("bytes 0000000000000000000000-09/010", "bytes 0-9/10"), ("bytes */10", "bytes */10"),
            ("bytes */0", "bytes */0"),
            ("bytes 0-9223372036854775806/9223372036854775807", "bytes 0-9223372036854775806/9223372036854775807"),
            ("bytes */9223372036854775807", "bytes */9223372036854775807"),
        ])
    func spellings(text: String, expected: String) {
        #expect(ContentRange(parsing: text)?.description == expected)
    }

    @Test(
        "no content range",
        arguments: [
            "", "bytes", "bytes ", "bytes 0", "bytes 0-", "bytes 0-9", "bytes 0-9/", "bytes -9/10", "bytes 0-/10",
            "bytes */*",
            "bytes */", "bytes *", "bytes=0-9/10", "bytes: 0-9/10", "bytes0-9/10", "byte 0-9/10", "items 0-9/10",
            "0-9/10",
            "bytes 0-9/10,", "bytes 0-9/10 x", "bytes 0-9, 20-29/30", "bytes 0 - 9/10", "bytes 0-9 /10",
            "bytes 0-9/ 10",
            "bytes +0-9/10", "bytes 0--9/10", "bytes 0x0-9/10", "bytes ٠-٩/10", "bytes 1e1-20/30", "bytes 0-9/1\u{0}0",
            "bytes 0-9223372036854775807/9223372036854775808", "bytes 0-9223372036854775807/*",
            "bytes 0-99999999999999999999/*", "bytes 99999999999999999999-0/*", "bytes */9223372036854775808",
        ])
    func refused(text: String) {
        #expect(ContentRange(parsing: text) == nil)
    }

    @Test("no text crashes it, and what it takes makes sense", arguments: 1...20 as ClosedRange<UInt64>)
    func survivesAnything(seed: UInt64) {
        var fuzz = FuzzText(seed: seed)
        let pieces = [
            "bytes ", "bytes", "0", "9", "9223372036854775807", "18446744073709551616", "-", "/", "*", " ", "\u{301}",
        ]
        for _ in 0..<500 {
            for text in [fuzz.noise(), "bytes " + fuzz.mixture(of: pieces), fuzz.mutation(of: "bytes 5-999/1000")] {
                guard let parsed = ContentRange(parsing: text) else { continue }
                #expect(ContentRange(parsing: parsed.description) == parsed)
                switch parsed {
                case .range(let range, let total): #expect(!range.isEmpty && range.upperBound <= total ?? .max)
                case .unsatisfied(let total): #expect(total >= 0)
                }
            }
        }
    }
}

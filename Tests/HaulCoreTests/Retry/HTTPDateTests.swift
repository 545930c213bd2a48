import HaulTestData
import Testing

@testable import HaulCore

@Suite("HTTPDate: RFC 9110, section 5.6.7")
struct HTTPDateTests {
    // 2026-11-21 00:00:00 UTC.
    private static let now: Int64 = 1_795_219_200

    @Test(
        "the three forms",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            " sun, 6 nov 1994  08:49:37 gmt ", "SUNDAY, 06-NOV-94 08:49:37 GMT", "Sun Nov 06 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == 784_111_777)
    }

    @Test(
        "known seconds, both ways",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_000_000_000, "Sun, 09 Sep 2001 01:46:40 GMT"),
            (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"), (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
        ] as [(Int64, String)])
    func known(seconds: Int64, text: String) {
        #expect(HTTPDate.string(seconds) == text)
        #expect(HTTPDate.parse(text, now: Self.now) == seconds)
    }

    @Test("the quick way says what the thorough one says, or nothing")
    func quickWay() {
        var random = SeededGenerator(seed: 9)
        for seconds in stride(from: Int64(-62_167_219_200), to: 253_402_300_799, by: 97_000_003) {
            var text = Array(HTTPDate.string(seconds).utf8)
            #expect(HTTPDate.fixed(text) == seconds)
            text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            let changed = String(decoding: text, as: UTF8.self)
            guard let quick = HTTPDate.fixed(text) else { continue }
            #expect(HTTPDate.scanned(changed, now: Self.now) == quick, "\(changed)")
        }
    }

    @Test("times without a date are clamped")
    func clamped() {
        #expect(HTTPDate.string(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.string(.min) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    // A calendar kept by counting, without arithmetic in common with the code it judges.
    @Test("every day from 1890 to 2110, counted")
    func everyDay() {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekdays = ["Wed", "Thu", "Fri", "Sat", "Sun", "Mon", "Tue"]
        var midnight: Int64 = -2_524_521_600
        var count = 0
        for year in 1890...2110 {
            let isLeap = year.isMultiple(of: 400) || (year.isMultiple(of: 4) && !year.isMultiple(of: 100))
            for (name, length) in zip(names, [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                for day in 1...length {
                    let text = "\(weekdays[count % 7]), \(day < 10 ? "0" : "")\(day) \(name) \(year) 23:59:59 GMT"
                    let isRight =
                        HTTPDate.string(midnight + 86_399) == text
                        && HTTPDate.parse(text, now: Self.now) == midnight + 86_399
                    if !isRight { Issue.record("\(text) is \(HTTPDate.string(midnight + 86_399))") }
                    midnight += 86_400
                    count += 1
                }
                #expect(HTTPDate.parse("Mon, \(length + 1) \(name) \(year) 00:00:00 GMT", now: Self.now) == nil)
            }
        }
        #expect(midnight == 4_449_513_600)
    }

    @Test("the time of day", arguments: 0...99 as ClosedRange<Int64>)
    func timeOfDay(number: Int64) {
        let text = number < 10 ? "0\(number)" : "\(number)"
        let parsed = ["\(text):00:00", "00:\(text):00", "00:00:\(text)"].map {
            HTTPDate.parse("Thu, 01 Jan 1970 \($0) GMT", now: Self.now)
        }
        #expect(parsed[0] == (number < 24 ? number * 3600 : nil))
        #expect(parsed[1] == (number < 60 ? number * 60 : nil))
        #expect(parsed[2] == (number <= 60 ? number : nil))
    }

    @Test(
        "two digits of a year: the latest that is not more than 50 years ahead",
        arguments: [1970, 1999, 2000, 2026, 2049, 2050, 2099])
    func twoDigits(thisYear: Int64) throws {
        let today = try #require(HTTPDate.parse("Mon, 01 Jul \(thisYear) 12:00:00 GMT", now: Self.now))
        for short in 0...99 as ClosedRange<Int64> {
            let text = short < 10 ? "0\(short)" : "\(short)"
            for (date, limit) in [
                ("30-Jun-\(text) 23:59:59", thisYear + 50), ("01-Jul-\(text) 12:00:00", thisYear + 50),
                ("01-Jul-\(text) 12:00:01", thisYear + 49),
            ] {
                let parsed = try #require(HTTPDate.parse("Monday, \(date) GMT", now: today))
                let year = try #require(Int64(HTTPDate.string(parsed).dropFirst(12).prefix(4)))
                #expect(year % 100 == short && year <= limit && year > limit - 100, "\(date) became \(year)")
            }
        }
    }

    @Test(
        "no date",
        arguments: [
            "", "0", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Okt 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
            "Sun Nov  6 08:49:37 94", "Sunday Nov  6 08:49:37 1994", "Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z",
            "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 0６ Nov 1994 08:49:37 GMT",
        ])
    func refused(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }

    @Test("no text and no time of day crashes it", arguments: 1...20 as ClosedRange<UInt64>)
    func survivesAnything(seed: UInt64) {
        var fuzz = FuzzText(seed: seed)
        let pieces = [
            "Sun", "Sunday", ",", " ", "06", "6", "-", "Nov", "Feb", "29", "1994", "00", "9999", "08:49:37", ":",
            " GMT",
        ]
        for _ in 0..<500 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &fuzz)
            #expect(HTTPDate.parse(HTTPDate.string(seconds), now: .random(in: .min ... .max, using: &fuzz)) == seconds)
            for text in [
                fuzz.noise(), fuzz.mixture(of: pieces), fuzz.mutation(of: "Sunday, 06-Nov-94 08:49:37 GMT"),
                fuzz.mutation(of: HTTPDate.string(seconds)), fuzz.mutation(of: "Sun Nov  6 08:49:37 1994"),
            ] {
                for now in [.min, -1, Self.now, .max] {
                    guard let parsed = HTTPDate.parse(text, now: now) else { continue }
                    #expect((-62_167_219_200...253_402_300_800).contains(parsed))
                }
            }
        }
    }
}

import HaulCore
import Testing

@Suite("Rates by the time of day")
struct RateScheduleTests {
    private func rate(_ text: String, _ hour: Int, _ minute: Int = 0) throws -> Int64? {
        try RateSchedule(parsing: text).rate(at: Int64(hour * 3600 + minute * 60), utcOffset: 0)
    }

    @Test("a part over midnight holds on both sides of it, its end excluded")
    func overMidnight() throws {
        let text = "22:00-06:00 unlimited, else 2M"
        for (hour, minute, expected) in [
            (21, 59, 2 << 20), (22, 0, nil), (23, 59, nil), (0, 0, nil), (5, 59, nil), (6, 0, 2 << 20),
            (12, 0, 2 << 20),
        ] as [(Int, Int, Int64?)] {
            #expect(try rate(text, hour, minute) == expected)
        }
    }

    @Test(
        "a schedule is written as it is read, each rate in the largest unit that says it exactly",
        arguments: [
            ("22:00-06:00 unlimited, else 2M", "22:00-06:00 unlimited, else 2M"),
            ("1:00-2:00 2048, else 3G", "01:00-02:00 2K, else 3G"),
            ("1:00-2:00 1500, else 1536K", "01:00-02:00 1500, else 1536K"),
            ("1:00-2:00 1, else 1025K", "01:00-02:00 1, else 1025K"), ("4M", "4M"), ("unlimited", "unlimited"),
        ])
    func written(text: String, expected: String) throws {
        let schedule = try RateSchedule(parsing: text)
        #expect(schedule.description == expected)
        #expect(try RateSchedule(parsing: expected) == schedule)
    }

    @Test("the first part that fits counts, and without else there is no limit")
    func order() throws {
        let text = "8:00-12:00 1K, 08:00-24:00 2K"
        #expect(try rate(text, 9) == 1024)
        #expect(try rate(text, 23) == 2048)
        #expect(try rate(text, 0) == nil)
    }

    @Test(
        "a rate alone holds all day, a part from an hour to itself, too", arguments: ["3K", "else 3K", "7:00-7:00 3K"])
    func allDay(text: String) throws {
        for hour in 0..<24 { #expect(try rate(text, hour) == 3072) }
    }

    @Test("the hour is that of the place", arguments: [-43_200, -3600, 0, 5400, 50_400])
    func zones(offset: Int) throws {
        let schedule = try RateSchedule(parsing: "12:00-12:01 1, else 2")
        let noon = Int64(1_700_000_000 / 86_400 * 86_400 + 43_200 - offset)
        #expect(schedule.rate(at: noon, utcOffset: offset) == 1)
        #expect(schedule.rate(at: noon + 60, utcOffset: offset) == 2)
        #expect(schedule.rate(at: noon - 1, utcOffset: offset) == 2)
        #expect(schedule.rate(at: noon - 86_400 * 40_000, utcOffset: offset) == 1)
    }

    @Test("no instant traps", arguments: [Int64.min, .max, 0], [Int.min, .max, 0])
    func extremes(instant: Int64, offset: Int) throws {
        #expect(try RateSchedule(parsing: "0:00-24:00 5").rate(at: instant, utcOffset: offset) == 5)
    }

    @Test(
        "what is no schedule is refused",
        arguments: [
            "", ",", "else", "fast", "0", "22-06 1M", "22:00-06:00", "22:00 1M", "25:00-06:00 1M", "22:60-06:00 1M",
            "24:01-06:00 1M", "else 1M, 22:00-06:00 2M", "22:00-06:00 1M, 2M", "22:00-06:00 1M,", "else 1M, else 2M",
            "22:00-06:00-07:00 1M", "-1:00-06:00 1M", "22:00-06:00 0", "٢٢:00-06:00 1M", "a 22:00-06:00 1M",
            "999999999999999999999:00-06:00 1M",
        ])
    func refused(text: String) {
        #expect(throws: DownloadError.self) { try RateSchedule(parsing: text) }
    }

    @Test("every minute of the day is in a part or not, as its two ends say")
    func everyMinute() throws {
        for (start, end) in [(0, 1), (0, 0), (600, 599), (1439, 0), (30, 1400)] {
            let part = try #require(RateSchedule.Part(from: start, to: end, rate: 7))
            let schedule = RateSchedule([part], otherwise: nil)
            let minutes = (0..<1440).filter { schedule.rate(at: Int64($0 * 60 + 59), utcOffset: 0) == 7 }
            let expected = (end - start + 1440) % 1440
            #expect(minutes.count == (expected == 0 ? 1440 : expected))
            #expect(minutes.contains(start))
        }
        #expect(RateSchedule.Part(from: 1440, to: 0, rate: 1) == nil)
    }

    @Test("a limit of 0 is none, and a negative one is refused")
    func zeroAndNegative() throws {
        let part = try #require(RateSchedule.Part(from: 0, to: 0, rate: 0))
        #expect(part.rate == nil && RateSchedule.Part(from: 0, to: 1, rate: -1) == nil)
        var schedule = RateSchedule(otherwise: 0)
        #expect(schedule.rate(at: 0, utcOffset: 0) == nil)
        try schedule.check()
        schedule.otherwise = -5
        let error = #expect(throws: DownloadError.self) { try schedule.check() }
        #expect(error?.code == .invalidRequest && error?.message.contains("rateSchedule") == true)
        #expect(error?.message.contains("-5") == true)
    }
}

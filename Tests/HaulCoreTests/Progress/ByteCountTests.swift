import HaulCore
import Testing

@Suite("ByteCount: what people write and read")
struct ByteCountTests {
    @Test("every unit in every spelling", arguments: zip(["K", "M", "G", "T", "P", "E"], [10, 20, 30, 40, 50, 60]))
    func units(unit: String, shift: Int) throws {
        for spelling in [unit, unit + "B", unit + "iB", unit.lowercased(), unit.lowercased() + "b", unit + "IB"] {
            #expect(try ByteCount.parse("3\(spelling)") == 3 << shift)
            #expect(try ByteCount.parse(" 3 \(spelling) ") == 3 << shift)
            #expect(try ByteCount.parse("1.5\(spelling)") == 3 << (shift - 1))
            #expect(try ByteCount.parse("0.25\(spelling)") == 1 << (shift - 2))
        }
    }

    @Test(
        "amounts",
        arguments: [
            ("0", 0), ("1048576", 1_048_576), ("12B", 12), ("12 b", 12), ("500K", 512_000), ("0K", 0), ("00012", 12),
            ("9223372036854775807", .max), ("7E", 7 << 60), ("1.1M", 1_153_434), ("0.0000001K", 1),
            ("1.0000000000000000000001K", 1024),
            ("7.999999999E", 9_223_372_035_701_854_304), ("8796093022207M", 9_223_372_036_853_727_232),
        ] as [(String, Int64)])
    func amounts(text: String, expected: Int64) throws {
        #expect(try ByteCount.parse(text) == expected)
    }

    @Test(
        "invalid number of bytes",
        arguments: [
            "", " ", "K", "-1", "+1", "1.", "1.K", ".5K", "1.5", "1.5B", "1,5K", "1KK", "1KBB", "1Bi", "1BB", "1iB",
            "1X", "1 K B",
            "1_000", "0x10", "1e3", "٣", "1K\0", "9223372036854775808", "8E", "8796093022208M", "99999999999999999999G",
            "inf", "1/2",
        ])
    func refused(text: String) {
        let error = #expect(throws: DownloadError.self) { try ByteCount.parse(text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("500K") == true)
    }

    @Test(
        "as it is read",
        arguments: [
            (0, "0 B"), (1, "1 B"), (999, "999 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
            (1_572_864, "1.5 MiB"),
            (10 << 30, "10.0 GiB"), (1_048_575, "1023 KiB"), (1000 << 10, "1000 KiB"), ((1000 << 10) - 1, "999.9 KiB"),
            (1_153_434, "1.1 MiB"), (1_153_433, "1.0 MiB"), (.max, "7.9 EiB"), (-5, "0 B"), (.min, "0 B"),
            (5 << 40, "5.0 TiB"),
            (1 << 50, "1.0 PiB"),
        ] as [(Int64, String)])
    func string(count: Int64, expected: String) {
        #expect(ByteCount.string(count) == expected)
    }

    @Test("short, and never more than there is", arguments: 0...62)
    func limits(shift: Int) throws {
        let power = Int64(1) << shift
        for count: Int64 in [power, power - 1, power + 1, power / 4 * 3, power / 1024 * 1000] {
            let text = ByteCount.string(count)
            #expect(text.count <= 9 && text.filter(\.isNumber).count <= 4)
            let shown = try ByteCount.parse(text)
            #expect(shown <= count + 1 && Double(shown) >= Double(count) * 0.9)
            #expect(ByteCount.string(shown) == text)
        }
    }

    @Test("no text crashes it", arguments: 1...20 as ClosedRange<UInt64>)
    func survivesAnything(seed: UInt64) {
        var fuzz = FuzzText(seed: seed)
        for _ in 0..<500 {
            for text in [
                fuzz.noise(),
                fuzz.mixture(of: ["9", "0", "1", ".", "K", "E", "iB", " ", "9223372036854775807", "\u{301}"]),
            ] {
                #expect(((try? ByteCount.parse(text)) ?? 0) >= 0)
            }
        }
    }
}

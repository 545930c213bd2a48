import Testing

@testable import HaulCore

@Suite struct CookieFileTests {
    private func parse(_ text: String) -> CookieFile { CookieFile(parsing: Array(text.utf8)) }

    @Test func readsWhatBrowsersAndCurlWrite() {
        let file = parse(
            """
            # Netscape HTTP Cookie File

            .example.org\tTRUE\t/\tFALSE\t0\tsession\tabc
            #HttpOnly_Example.net\tFALSE\t/a\tTRUE\t2000000000\thidden\tx=y z\r
            example.com\tTRUE\t/\tfalse\t1999999999.5\tempty
            h\tFALSE\t/\tFALSE\t-1\told\tv
            """)
        #expect(file.badLines == 0)
        #expect(
            file.cookies == [
                Cookie(
                    name: "session", value: "abc", domain: "example.org", isHostOnly: false, path: "/", isSecure: false),
                Cookie(
                    name: "hidden", value: "x=y z", domain: "example.net", isHostOnly: true, path: "/a", isSecure: true,
                    expires: 2_000_000_000),
                Cookie(
                    name: "empty", value: "", domain: "example.com", isHostOnly: false, path: "/", isSecure: false,
                    expires: 1_999_999_999),
                Cookie(name: "old", value: "v", domain: "h", isHostOnly: true, path: "/", isSecure: false, expires: 1),
            ])
    }

    @Test(arguments: [
        "h TRUE / FALSE 0 n v", "h\tTRUE\t/\tFALSE\t0", "h\tYES\t/\tFALSE\t0\tn\tv", "h\tTRUE\tp\tFALSE\t0\tn\tv",
        "h\tTRUE\t/\tFALSE\tx\tn\tv", "\tTRUE\t/\tFALSE\t0\tn\tv", "h\tTRUE\t/\tFALSE\t0\t\tv",
        "h\tTRUE\t/\tFALSE\t0\tn\tv\tw",
        "h\tTRUE\t/\tFALSE\t0\tn\ta;b", "h\tTRUE\t/\tFALSE\t0\tn=\tv", "h\tTRUE\t/\tFALSE\t0\tn\ta\rX: y",
        "{\"json\": 1}",
        "h\tTRUE\t/\tFALSE\t\tn\tv", "h\tTRUE\t/\tFALSE\t-\tn\tv", ".\tTRUE\t/\tFALSE\t0\tn\tv",
    ])
    func aLineThatIsNoneIsCounted(line: String) {
        #expect(parse(line) == parse("1\n") && parse(line).badLines == 1)
    }

    @Test func endsBeyondAllNumbersAreTheLast() {
        #expect(parse("h\tTRUE\t/\tFALSE\t99999999999999999999\tn\tv").cookies.first?.expires == .max)
    }

    @Test func survivesAnyBytes() {
        var fuzz = FuzzText(seed: 4)
        for _ in 0..<10_000 {
            let text = fuzz.mutation(of: "#HttpOnly_.h.org\tTRUE\t/\tFALSE\t123\tn\tv\nh\tFALSE\t/\tTRUE\t0\tn\tv\n")
            for bytes in [
                Array(text.utf8), Array(fuzz.noise().utf8),
                (0..<40).map { _ in UInt8.random(in: 0...255, using: &fuzz) },
            ] {
                for cookie in CookieFile(parsing: bytes).cookies {
                    #expect(!"\(cookie.name)\(cookie.value)".utf8.contains { $0 < 0x20 || $0 == 0x7F })
                }
            }
        }
    }
}

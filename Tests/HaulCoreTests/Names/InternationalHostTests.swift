import Testing

@testable import HaulCore

@Suite("Hosts beyond ASCII") struct InternationalHostTests {
    /// Names that are registered, and those that RFC 3492 (section 7.1), curl and browsers agree on.
    @Test(
        "converted to punycode",
        arguments: [
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("münchen.de", "xn--mnchen-3ya.de"),
            ("straße.de", "xn--strae-oqa.de"), ("faß.de", "xn--fa-hia.de"), ("βόλος.com", "xn--nxasmm1c.com"),
            ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
            ("пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"), ("إختبار.example", "xn--kgbechtv.example"),
            ("परीक्षा.example", "xn--11b5bs3a9aj6g.example"), ("테스트.kr", "xn--9t4b11yi5a.kr"),
            ("中国.cn", "xn--fiqs8s.cn"), ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("pročprostěnemluvíčesky", "xn--proprostnemluvesky-uyb24dma41a"),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"), ("www.ü.example.", "www.xn--tda.example."),
            ("ü.a_b.example", "xn--tda.a_b.example"), ("שלום.example", "xn--9dbne9b.example"),
        ])
    func converted(host: String, ascii: String) throws {
        let found = try #require(InternationalHost.ascii(Array(host.utf8)[...]))
        #expect(String(decoding: found, as: UTF8.self) == ascii)
        #expect(try SourceURL(parsing: "https://\(host)/a").host == ascii)
    }

    @Test("a converted host keeps its port, user, path and query")
    func wholeURL() throws {
        let url = try SourceURL(parsing: "https://me@Bücher.example:8443/ä b?q=ü")
        #expect(url.string == "https://xn--bcher-kva.example:8443/%C3%A4%20b?q=%C3%BC")
        #expect(url.credentials?.user == "me")
    }

    @Test(
        "what UTS 46 maps to something else, or forbids, is refused",
        arguments: [
            "\u{FF41}.example", "ﬁn\u{E9}.example", "a\u{AD}é.example", "é\u{200B}.example", "é\u{200D}.example",
            "\u{301}a.example", "-é.example", "é-.example", "é b.example", "é%41.example", "é@.example",
            "xn--é.example", "é..example", ".é", "℀.example", "é\u{2044}a.example", "①.example",
            "é\u{FF0F}a.example", "é\u{FF20}a.example", String(repeating: "é", count: 64) + ".example",
            String(repeating: "ü中", count: 30) + ".example",
        ])
    func refused(host: String) {
        let error = #expect(throws: DownloadError.self) { try SourceURL(parsing: "https://\(host)/") }
        #expect(error?.code == .invalidRequest)
    }

    @Test("bytes that are not UTF-8 are refused") func notText() {
        #expect(InternationalHost.ascii([0x61, 0xFF, 0x2E, 0x62]) == nil)
    }

    @Test("the longest label") func maximum() throws {
        for count in 1...63 {
            let label = String(repeating: "a", count: count) + "ü"
            let found = InternationalHost.ascii(Array(label.utf8)[...])
            if let found { #expect(found.count <= 63) }
            #expect((found == nil) == (count > 55))
        }
    }
}

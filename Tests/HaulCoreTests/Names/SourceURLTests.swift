import HaulCore
import Testing

@Suite("SourceURL: what people write becomes what is sent")
struct SourceURLTests {
    @Test(
        "canonical form",
        arguments: [
            ("http://example.org", "http://example.org/"),
            ("HTTPS://EXAMPLE.org/A", "https://example.org/A"),
            ("  https://example.org/a\t", "https://example.org/a"),
            ("https://example.org:443/", "https://example.org/"),
            ("http://example.org:443/", "http://example.org:443/"),
            ("http://example.org:80", "http://example.org/"),
            ("http://example.org:0080/", "http://example.org/"),
            ("http://example.org:/", "http://example.org/"),
            ("http://example.org:65535/", "http://example.org:65535/"),
            ("http://example.org?q", "http://example.org/?q"),
            ("http://example.org/?", "http://example.org/?"),
            ("http://example.org/a#part?no", "http://example.org/a"),
            ("http://h/a b/ü.txt", "http://h/a%20b/%C3%BC.txt"),
            ("http://h/a?b=c d&e=ü", "http://h/a?b=c%20d&e=%C3%BC"),
            ("http://h/%41%2f%c3", "http://h/%41%2f%c3"),
            ("http://h/100%/%4/%zz/%", "http://h/100%25/%254/%25zz/%25"),
            ("http://h/a?x=%&y=%41", "http://h/a?x=%25&y=%41"),
            ("http://h/a\\b\"<>^`{|}[]", "http://h/a%5Cb%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
            ("http://h/-._~!$&'()*+,;=:@", "http://h/-._~!$&'()*+,;=:@"),
            ("http://h/a?/?:@-._~!$&'()*+,;=", "http://h/a?/?:@-._~!$&'()*+,;="),
            ("http://h/a/./b/../c", "http://h/a/c"),
            ("http://h/../../a", "http://h/a"),
            ("http://h/a/..", "http://h/"),
            ("http://h/a/b/.", "http://h/a/b/"),
            ("http://h/a//../b", "http://h/a/b"),
            ("http://h//a///b", "http://h//a///b"),
            ("http://h/a...b/.../..c", "http://h/a...b/.../..c"),
            ("http://h/?a/../b", "http://h/?a/../b"),
            ("http://user:pass@h/a", "http://h/a"),
            ("http://h/a@b:c", "http://h/a@b:c"),
            ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"),
            ("http://[2001:DB8::A]/", "http://[2001:db8::a]/"),
            ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
            ("http://under_score.example./", "http://under_score.example./"),
        ])
    func canonicalForm(text: String, expected: String) throws {
        let url = try SourceURL(parsing: text)
        #expect(url.string == expected)
        #expect(try SourceURL(parsing: url.string).string == expected, "canonical form is not stable")
    }

    @Test(
        "what is refused, and the word that helps",
        arguments: [
            ("", "http://"), ("example.org/a", "http://"), ("/a", "http://"), ("//example.org/a", "http://"),
            ("localhost:8080/a", "http://"), ("gopher://example.org/a", "gopher: is not supported"),
            ("file:///etc/passwd", "file: is not supported"), ("javascript:alert(1)", "javascript: is not supported"),
            ("foo bar", "a space"), ("see /a b", "a space"),
            ("http:", "no host"), ("http:/a", "no host"), ("http:a", "no host"), ("http:///a", "no host"),
            ("http://", "no host"), ("http://:80/", "no host"), ("http://u:p@/", "no host"),
            ("http://h:0/", "65535"), ("http://h:65536/", "65535"), ("http://h:-1/", "65535"),
            ("http://h:+1/", "65535"),
            ("http://h:99999999999999999999999/", "65535"), ("http://h:8a/", "65535"), ("http://::1/", "no host"),
            ("http://\u{FF42}cher.example/", "punycode"), ("http://\u{301}e.example/", "punycode"),
            ("http://a b/", "the host must"), ("http://a..b/", "the host must"), ("http://.a/", "the host must"),
            ("http://a%41/", "the host must"), ("http://h\\@evil/", "the host must"), ("http://[::1/", "the host must"),
            ("http://[::1]x/", "the host must"), ("http://[fe80::1%25eth0]/", "the host must"),
            ("http://h/a\nb", "control"), ("http://h/a\r\nX: y", "control"), ("http://h/\0", "control"),
            ("http://h/\u{7F}", "control"), ("http://h\t/", "control"),
            ("http://u:%0d%0a@h/", "user name"), ("http://u%3Av:p@h/", "user name"), ("http://u:%FF@h/", "user name"),
            ("http://a b:c@h/", "user name"),
        ])
    func refused(text: String, word: String) {
        let error = #expect(throws: DownloadError.self) { try SourceURL(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        #expect(error?.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } == true)
    }

    @Test(
        "every byte of ASCII in path and query is sent as RFC 3986 allows, or refused",
        arguments: 0...127 as ClosedRange<UInt8>)
    func everyByte(byte: UInt8) throws {
        let character = String(Unicode.Scalar(byte))
        let text = "http://h/x\(character)y?x\(character)y"
        guard byte >= 0x20, byte != 0x7F else {
            #expect(throws: DownloadError.self) { try SourceURL(parsing: text) }
            return
        }
        let sent = try SourceURL(parsing: text).string.utf8
        let allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?%".utf8
        #expect(sent.allSatisfy(allowed.contains))
    }

    @Test(
        "IPv6 literals",
        arguments: [
            ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:7::", true),
            ("::2:3:4:5:6:7:8", true), ("1::8", true), ("::ffff:1.2.3.4", true), ("1:2:3:4:5:6:1.2.3.4", true),
            ("abcd:EF01::", true), ("", false), (":", false), (":::", false), ("1", false), ("1:2:3:4:5:6:7", false),
            ("1:2:3:4:5:6:7:8:9", false), ("1:2:3:4:5:6:7:8::", false), ("1::2::3", false), ("12345::", false),
            ("g::", false), ("1.2.3.4::", false), ("::1.2.3", false), ("::1.2.3.256", false), ("::1.2.3.04", false),
            ("::1.2.3.4.5", false), ("1:", false), (":1", false), ("1:2:3:4:5:6:7:1.2.3.4", false), ("v1.x", false),
        ])
    func ipv6(address: String, isRight: Bool) {
        #expect(((try? SourceURL(parsing: "http://[\(address)]/")) != nil) == isRight)
    }

    @Test("labels and names have the limits of RFC 1035")
    func hostLengths() throws {
        let label = String(repeating: "a", count: 63)
        let maximum = [label, label, label, String(repeating: "a", count: 61)].joined(separator: ".")
        #expect(try SourceURL(parsing: "http://\(maximum)/").host == maximum)
        #expect(throws: DownloadError.self) { try SourceURL(parsing: "http://\(maximum)a/") }
        #expect(throws: DownloadError.self) { try SourceURL(parsing: "http://\(label)a/") }
    }

    @Test("origin, host and security")
    func origin() throws {
        let url = try SourceURL(parsing: "https://Example.org:8443/a")
        #expect(url.origin.scheme == "https" && url.origin.host == "example.org" && url.origin.port == 8443)
        #expect(url.isSecure && url.host == "example.org")
        #expect(try SourceURL(parsing: "http://h:80/a").origin == SourceURL(parsing: "http://H/b").origin)
        for other in ["https://h/", "http://h:81/", "http://g/", "http://h./"] {
            #expect(try SourceURL(parsing: other).origin != SourceURL(parsing: "http://h/").origin)
        }
    }

    @Test(
        "last path component",
        arguments: [
            ("http://h/a/b.txt", "b.txt"), ("http://h/a%20b.txt?x=/y", "a b.txt"), ("http://h/ü", "ü"),
            ("http://h/a/", nil), ("http://h", nil), ("http://h/%FF", "ÿ"), ("http://h/%80.txt", "€.txt"),
            ("http://h/foo-%E4.html", "foo-ä.html"), ("http://h/a%2F..%2Fb", "a/../b"),
            ("http://h/100%", "100%"), ("http://h/%00", "\0"),
        ] as [(String, String?)])
    func lastPathComponent(text: String, expected: String?) throws {
        #expect(try SourceURL(parsing: text).lastPathComponent == expected)
    }

    @Test("no text crashes it, and what it takes is canonical", arguments: 1...20 as ClosedRange<UInt64>)
    func survivesAnything(seed: UInt64) throws {
        var fuzz = FuzzText(seed: seed)
        let base = try SourceURL(parsing: "https://u:p@h/a/b?c")
        let pieces = [
            "http:", "https://", "//", "/", "..", ".", "?", "#", "@", ":", "[", "]", "%", "%4", "%C3", "ü", "h",
            "65536", "::1", "\\", " ",
        ]
        for _ in 0..<200 {
            for text in [
                fuzz.noise(), fuzz.mixture(of: pieces), "http://" + fuzz.mixture(of: pieces),
                fuzz.mutation(of: "https://user:pass@[::ffff:1.2.3.4]:443/a/../b?c=d#e"),
            ] {
                for url in [try? SourceURL(parsing: text), try? base.resolving(text)].compactMap(\.self) {
                    #expect(url.string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
                    #expect(try SourceURL(parsing: url.string).string == url.string)
                    #expect(url.lastPathComponent?.isEmpty != true)
                }
            }
        }
    }
}

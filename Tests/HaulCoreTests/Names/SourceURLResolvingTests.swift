import HaulCore
import Testing

@Suite("SourceURL: where a Location header leads")
struct SourceURLResolvingTests {
    // The examples of RFC 3986, section 5.4, but those with another scheme; fragments are dropped here.
    @Test(
        "RFC 3986, section 5.4",
        arguments: [
            ("http:g", "/b/c/g"), ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"),
            ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"), ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"),
            ("g;x", "/b/c/g;x"), ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"),
            ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"),
            ("../../../g", "/g"), ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."),
            (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"),
            ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"),
            ("g?y/./x", "/b/c/g?y/./x"), ("g?y/../x", "/b/c/g?y/../x"), ("g#s/../x", "/b/c/g"),
        ] as [(String, String?)])
    func examples(reference: String, expected: String?) throws {
        let base = try SourceURL(parsing: "http://a/b/c/d;p?q")
        #expect((try? base.resolving(reference))?.string == expected.map { "http://a" + $0 })
    }

    @Test(
        "other authorities, and text that wants encoding",
        arguments: [
            ("//g", "https://g/"), ("//g:444/x?y", "https://g:444/x?y"), ("http://g/x", "http://g/x"),
            ("HTTPS://G:443", "https://g/"), ("/a b/ü", "https://a/a%20b/%C3%BC"), ("?x y", "https://a/b/c?x%20y"),
            ("./x:y", "https://a/b/x:y"), (" /x ", "https://a/x"), ("/@x:y", "https://a/@x:y"),
            // As browsers read them.
            ("http:///g/x", "http://g/x"), ("http:/g/x", "http://g/x"), ("https:/x", "https://a/x"),
            ("https:x", "https://a/b/x"),
            ("///g/x", "https://g/x"), ("\\\\g\\x", "https://g/x"), ("HTTPS:\\\\g\\x?\\", "https://g/x?%5C"),
            ("/a\nb", "https://a/ab"), ("/a\tb", "https://a/ab"), ("\u{1}/x\u{0}", "https://a/x"),
            ("/a\u{1}b", "https://a/a%01b"),
            ("..\\x", "https://a/x"), ("/x#\\y", "https://a/x"), ("www.example.com/x", "https://a/b/www.example.com/x"),
            ("/caf%E9", "https://a/caf%E9"), ("/a:b", "https://a/a:b"),
        ])
    func others(reference: String, expected: String) throws {
        let base = try SourceURL(parsing: "https://a/b/c?q")
        #expect(try base.resolving(reference).string == expected)
    }

    @Test(
        "where Haul does not follow",
        arguments: [
            "file:///etc/passwd", "FILE:/etc/passwd", "ftp://h/a", "ftps://h/a", "ftpes://h/a", "SFTP://h/a",
            "data:text/plain,x", "javascript:alert(1)",
            "mailto:a@b", "x:y", "http://h:0/", "//", "//h:99999/", "//\u{FF42}ücher.example/", "http:///", "http:\\\\",
        ])
    func refused(reference: String) throws {
        let base = try SourceURL(parsing: "https://a/b")
        let error = #expect(throws: DownloadError.self) { try base.resolving(reference) }
        #expect(error?.code == .redirectRefused)
        #expect(error?.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } == true)
    }

    @Test("credentials follow the authority")
    func credentials() throws {
        let base = try SourceURL(parsing: "https://u:p@a/b")
        #expect(try base.resolving("/c").credentials == base.credentials)
        #expect(try base.resolving("?c").credentials == base.credentials)
        #expect(try base.resolving("//a/c").credentials == nil)
        #expect(try base.resolving("https://a/c").credentials == nil)
        #expect(try base.resolving("https://x:y@a/c").credentials?.user == "x")
    }

    @Test(
        "resolving an own canonical URL gives it back",
        arguments: ["http://h/", "https://h:8/a/b?c=d", "http://[::1]/%2F"])
    func absolute(text: String) throws {
        let base = try SourceURL(parsing: "https://other/x/y")
        #expect(try base.resolving(text) == SourceURL(parsing: text))
    }
}

import HaulCore
import HaulTestData
import Testing

@Suite("Secrets stay home: URLs in messages and logs")
struct URLSecretsTests {
    @Test(
        "user name and password are decoded",
        arguments: [
            ("http://u:p@h/", "u", "p"), ("http://u@h/", "u", ""), ("http://:p@h/", "", "p"), ("http://u:@h/", "u", ""),
            ("http://u:a:b@h/", "u", "a:b"), ("http://u%40x:p%2Fq@h/", "u@x", "p/q"),
            ("http://u@x:p@q@h/", "u@x", "p@q"),
            ("http://ü:%C3%BC%@h/", "ü", "ü%"), ("http://u:%zz%41@h/", "u", "%zzA"),
        ])
    func decoded(text: String, user: String, password: String) throws {
        let url = try SourceURL(parsing: text)
        #expect(url.credentials?.user == user)
        #expect(url.credentials?.password == password)
        #expect(url.string == "http://h/")
    }

    // The vectors of RFC 7617, section 2 and 2.1, and those of RFC 4648, section 10, behind a "u:".
    @Test(
        "Basic authorization",
        arguments: [
            ("Aladdin:open%20sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test:123%C2%A3", "dGVzdDoxMjPCow=="),
            ("u:", "dTo="),
            ("u:f", "dTpm"), ("u:fo", "dTpmbw=="), ("u:foo", "dTpmb28="), ("u:foob", "dTpmb29i"), ("u:~~~%7F?", nil),
            ("u:???", "dTo/Pz8="), ("u:~~~>", "dTp+fn4+"),
        ] as [(String, String?)])
    func basic(userInfo: String, expected: String?) {
        let url = try? SourceURL(parsing: "http://\(userInfo.replacing("?", with: "%3F"))@h/")
        #expect(url?.credentials?.basicAuthorization == expected.map { "Basic " + $0 })
    }

    @Test("empty credentials are none", arguments: ["http://h/", "http://@h/", "http://:@h/"])
    func none(text: String) throws {
        #expect(try SourceURL(parsing: text).credentials == nil)
    }

    @Test("however it is printed, a password is not shown")
    func printing() throws {
        let url = try SourceURL(parsing: "http://user:s3cret@h/a?token=s3cret")
        var dumped = ""
        dump(url.credentials, to: &dumped)
        let texts = [
            "\(url)", url.description, String(reflecting: url), String(describing: [url]), url.redacted, dumped,
            "\(String(describing: url.credentials))", String(reflecting: url.credentials), "\([url.credentials])",
        ]
        for text in texts {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(url.string == "http://h/a?token=s3cret", "what is sent keeps it")
    }

    @Test(
        "values of the query are redacted",
        arguments: [
            ("http://u:p@h/p?token=x", "http://h/p?token=REDACTED"),
            ("http://h/p?a=1&b=2", "http://h/p?a=REDACTED&b=REDACTED"),
            ("http://h/p?a=1;b=2=3", "http://h/p?a=REDACTED;b=REDACTED"), ("http://h/p?bare", "http://h/p?REDACTED"),
            ("http://h/p?a=&&b", "http://h/p?a=&&REDACTED"), ("http://h/p?", "http://h/p?"),
            ("http://h/p", "http://h/p"),
        ])
    func redacted(text: String, expected: String) throws {
        #expect(try SourceURL(parsing: text).redacted == expected)
    }

    @Test(
        "texts that are no URL are shown without their secrets",
        arguments: [
            ("fish://user:s3cret@h/a", "fish://REDACTED@h/a"), ("http://user:s3cret@a b/", "http://REDACTED@a b/"),
            ("http://user:s3/cret@h/a", "http://REDACTED@h/a"), ("http://user:s3?cret@h/a", "http://REDACTED@h/a"),
            ("http://user:s3#cret@h/a", "http://REDACTED@h/a"), ("user:s3cret@h/a", "REDACTED@h/a"),
            ("user:s3//cret@h//a", "REDACTED@h//a"), ("//user:s3cret@h/a", "//REDACTED@h/a"),
            ("http://user:s3@cret@a b/", "http://REDACTED@a b/"),
            ("fish://h/a?token=s3cret", "fish://h/a?token=REDACTED"),
            ("h/a?s3cret", "h/a?REDACTED"), ("fish://h/a#s3cret", "fish://h/a"), ("fish://h/a@b", "fish://h/a@b"),
            ("http://user:s3cret@h:0/a?b=s3cret#cret", "http://REDACTED@h:0/a?b=REDACTED"),
            // What stands before them is no "http://": a quote, a byte order mark, a blank, a slash or a colon amiss.
            ("'http://user:s3cret@h/a", "REDACTED@h/a"), ("\u{FEFF}http://user:s3cret@h/a", "REDACTED@h/a"),
            (" http://user:s3cret@a b/", "REDACTED@a b/"), ("http:/user:s3cret@h/a", "REDACTED@h/a"),
            ("http:///user:s3cret@h/a", "REDACTED@h/a"), ("http//user:s3cret@h/a", "REDACTED@h/a"),
            ("h/a@b", "REDACTED@b"), ("//h:/a:s3cret@b", "//REDACTED@b"),
        ])
    func shown(text: String, expected: String) throws {
        let error = #expect(throws: DownloadError.self) { try SourceURL(parsing: text) }
        #expect(error?.message.contains("\"\(expected)\"") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("cret") == false)
    }

    @Test(
        "no error repeats the credentials of a URL that was taken for something else",
        arguments: [
            ("http://u:s3cret@h/a is no file", "http://REDACTED@h/a is no file"),
            ("\"http://u:s3cret@h/a\" is", "\"http://REDACTED@h/a\" is"),
            ("--x=http://u:s3/cret@h/a?b=s3cret: it", "--x=http://REDACTED@h/a?b=REDACTED: it"),
            ("(see sftp://u@h), 'http://s3cret@h'.", "(see sftp://REDACTED@h), 'http://REDACTED@h'."),
            ("/d/http://u:s3cret@h/a", "/d/http://REDACTED@h/a"), ("://u:s3cret@h", "REDACTED@h"),
            ("\"http://REDACTED@h:0/?b=REDACTED\"  stays", "\"http://REDACTED@h:0/?b=REDACTED\"  stays"),
            ("a@b stays, and a://b, and ://", "a@b stays, and a://b, and ://"), ("", ""),
            ("http://a/b,http://u:s3cret@h/c", "http://a/b,http://REDACTED@h/c"),
            ("http://a/\thttp://u:s3cret@h\n", "http://a/\thttp://REDACTED@h\n"),
            ("http://http://u:s3cret@h", "http://http://REDACTED@h"),
            ("http://me:s3://cret@h/a", "http://REDACTED@h/a"),
            ("http://h/a?to=http://b/&key=s3cret", "http://h/a?to=REDACTED&key=REDACTED"),
            ("h/a?s3cret&to=http://b/", "h/a?REDACTED&to=http://b/"),
            ("http://\u{301}me:s3cret@h", "http://REDACTED@h"),
            ("https://[2001:db8::1]/@scope/pkg", "https://[2001:db8::1]/@scope/pkg"),
            ("https://u:s3cret@[::1]:80/a@b", "https://REDACTED@[::1]:80/a@b"),
            ("https://[s3:cret/x@h", "https://REDACTED@h"),
        ])
    func inErrors(text: String, expected: String) {
        #expect(DownloadError(.fileFailed, text).message == expected)
        #expect(DownloadError(.fileFailed, "", cause: text).cause == expected)
    }

    @Test("what stands where something else should is cut after its credentials are gone, not before")
    func quoted() {
        let url = "https://me:correct-horse-s3cret@downloads.example.org/iso/file.iso?token=s3cretTOKEN-s3cretTOKEN"
        for width in 0...140 { #expect(!URLRedaction.quoted(url, width: width).contains("cret"), "\(width)") }
        for text in [url, "https://me:my s3cret@h/", "https://h/?a=b s3cret"] {
            #expect(!URLRedaction.name(text).contains("cret"), "\(text)")
        }
        #expect(URLRedaction.name("me@home #1?.iso") == "me@home #1?.iso")
    }

    @Test("any text passes, and whatever stands around a URL, its password goes", arguments: 1...20)
    func anyText(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let signs = Array(" \t\":/@?#[],.&=a1-é\u{301}")
        for _ in 0..<500 {
            func noise() -> String {
                String(
                    (0..<Int.random(in: 0...9, using: &random)).map { _ in signs.randomElement(using: &random) ?? "a" })
            }
            _ = URLRedaction.inText(noise() + "://" + noise() + "://" + noise())
            let text = noise() + " \"https://me:s3cret@host/a?b=s3cret\", " + noise()
            #expect(!URLRedaction.inText(text).contains("s3cret"), "\(text)")
        }
    }

    @Test("a refused redirect does not show the server's secrets either")
    func redirect() throws {
        let base = try SourceURL(parsing: "http://user:s3cret@h/?s3cret")
        let error = #expect(throws: DownloadError.self) { try base.resolving("ftp://u:pass@h/?key=pass") }
        #expect(error?.message.contains("ftp://REDACTED@h/?key=REDACTED") == true)
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test("a long text is cut in the message")
    func long() {
        let error = #expect(throws: DownloadError.self) {
            try SourceURL(parsing: "fish://h/" + String(repeating: "a", count: 100_000))
        }
        #expect((error?.message.count ?? .max) < 400)
    }
}

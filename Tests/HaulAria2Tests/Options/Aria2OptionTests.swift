import HaulAria2
import Testing

@Suite("aria2's options")
struct Aria2OptionTests {
    @Test("each standard value is a value of its option, written as it is told")
    func standards() {
        for option in Aria2Option.table {
            guard let standard = option.standard else { continue }
            #expect(option.value(standard) == standard, "\(option.name)")
        }
        #expect(Set(Aria2Option.table.map(\.name)).count == Aria2Option.table.count)
        let letters = Aria2Option.table.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
        #expect(Set("dosxkcjmtUiMZPqvhlanVRTuSDp") == Set(letters))
    }

    @Test(
        "values are read, amounts as bytes",
        arguments: [
            ("split", "16", "16"), ("split", "0", nil), ("split", "x", nil), ("split", "99999999999999999999", nil),
            ("min-split-size", "1M", "1048576"), ("min-split-size", "1024k", "1048576"), ("min-split-size", "1K", nil),
            ("max-download-limit", "500K", "512000"), ("max-download-limit", "9223372036854775807M", nil),
            ("max-download-limit", "-1", nil), ("max-download-limit", "K", nil), ("max-download-limit", "", nil),
            ("continue", "true", "true"), ("continue", "yes", nil), ("continue", "", "true"),
            ("file-allocation", "falloc", "falloc"), ("file-allocation", "all", nil),
            ("gid", "00000000000000AF", "00000000000000af"), ("gid", "af", nil),
            ("header", "A: b", "A: b"), ("header", "A: b\r\nC: d", nil), ("user-agent", "a\nb", nil), ("dir", "", ""),
            ("select-file", "1-3,5", "1-3,5"), ("select-file", "", ""), ("select-file", "0", nil),
            (
                "checksum", "sha-256=\(String(repeating: "0", count: 64))",
                "sha-256=\(String(repeating: "0", count: 64))"
            ),
            ("checksum", "sha-256=00", nil), ("seed-ratio", "1.5", "1.5"), ("seed-ratio", "nan", nil),
            ("all-proxy", "http://p:1", "http://p:1"), ("all-proxy", "", ""), ("all-proxy", "gopher://p", nil),
        ] as [(String, String, String?)])
    func values(name: String, text: String, value: String?) throws {
        let option = try #require(Aria2Option.named(name))
        #expect(option.value(text) == value)
    }

    @Test("${HOME} is expanded in paths; without a home folder they are unchanged")
    func home() throws {
        let (dir, user) = (try #require(Aria2Option.named("dir")), try #require(Aria2Option.named("http-user")))
        #expect(dir.expandingHome("${HOME}/dl", home: "/home/me") == "/home/me/dl")
        #expect(dir.expandingHome("${HOME}/dl", home: nil) == "${HOME}/dl")
        #expect(user.expandingHome("${HOME}", home: "/home/me") == "${HOME}")
        let options = try Aria2Options([.init("dir", .string("${HOME}/dl"))], .download)
        #expect(options["dir"] == dir.expandingHome("${HOME}/dl"))
    }

    @Test("an empty path counts as not given, and overrides an earlier one; an empty dir does not")
    func emptyPaths() throws {
        let empty = try Aria2Options(
            ["dir", "out", "select-file", "save-session"].map { JSON.Member($0, .string("")) }, [])
        var options = try Aria2Options(
            ["dir", "out", "save-session"].map { JSON.Member($0, .string("/x")) }, [])
        #expect(empty["out"] == nil && empty["select-file"] == nil && empty.effective("save-session") == nil)
        options.take(empty)
        #expect(options["dir"] == "/x" && options["out"] == nil && options["save-session"] == nil)
        for name in ["torrent-file", "on-download-pause"] {
            #expect(throws: Never.self) { try Aria2Options([.init(name, .string(""))], []) }
        }
    }

    @Test(
        "options of a call: unknown names and those without a place there are left out, lists are lists, a bad value is named"
    )
    func members() throws {
        let options = try Aria2Options(
            [
                .init("nonsense", .string("1")), .init("rpc-secret", .string("x")), .init("split", .number("3")),
                .init("continue", .bool(true)), .init("header", .array([.string("A: 1"), .string("B: 2")])),
                .init("out", .string("a")),
            ], .download)
        #expect(options.names == ["continue", "header", "out", "split"])
        #expect(options.list("header") == ["A: 1", "B: 2"])
        #expect(options.isSet("continue") && options.number("split") == 3 && options.number("max-tries") == 5)
        #expect(try Aria2Options([.init("out", .string("a"))], .global).names.isEmpty)
        let lines = try Aria2Options([.init("header", .string("A: 1\nB: 2\n"))], .change)
        #expect(lines.list("header") == ["A: 1", "B: 2"])
        let separator = try Aria2Options([.init("header", .string("A: 1\u{2028}2\r\nB: 2"))], .change)
        #expect(separator.list("header") == ["A: 1\u{2028}2", "B: 2"])
        for bad: JSON in [.string("x"), .null, .array([]), .string("")] {
            let failure = #expect(throws: Aria2Failure.self) { try Aria2Options([.init("split", bad)], .download) }
            #expect(failure?.message == Aria2Failure.option("split").message)
        }
        for (name, value, reason) in [
            ("split", "x", "Bad number x. Possible values: 1-*"),
            ("split", "0", "split must be greater than or equal to 1. Possible values: 1-*"),
            ("timeout", "601", "timeout must be between 1 and 600. Possible values: 1-600"),
            ("continue", "maybe", "continue must be either 'true' or 'false'."),
        ] {
            let failure = #expect(throws: Aria2Failure.self) {
                try Aria2Options([.init(name, .string(value))], .download)
            }
            #expect(failure?.detail == reason)
        }
        #expect(throws: Aria2Failure.self) { try Aria2Options([.init("dry-run", .string("true"))], .download) }
        #expect(throws: Never.self) { try Aria2Options([.init("dry-run", .string("false"))], .download) }
        #expect(
            Aria2Failure.option("split").message == "We encountered a problem while processing the option '--split'.")
    }
}

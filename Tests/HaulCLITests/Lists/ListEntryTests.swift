import HaulCore
import Testing

@testable import HaulCLI

@Suite struct ListEntryTests {
    private static let template = DownloadSpec(url: "", destination: .folder(path: "d"))

    private func spec(_ options: (String, String)...) throws -> DownloadSpec {
        try ListEntry(line: 1, urls: ["http://h/x"], options: options.map { ListOption($0.0, $0.1) }).spec(
            Self.template)
    }

    @Test(arguments: [Destination.file(path: "/a/b"), .file(path: "b"), .folder(path: "d"), .hashed(folder: "d")])
    func whereItGoesIsTheCommandLinesUnlessItSaysOtherwise(destination: Destination) throws {
        let template = DownloadSpec(url: "", destination: destination)
        #expect(try ListEntry(line: 0, urls: ["http://h/x"]).spec(template).destination == destination)
        let own = ListEntry(line: 1, urls: ["http://h/x"], options: [ListOption("dir", "e"), ListOption("out", "o")])
        #expect(try own.spec(template).destination == .file(path: "e/o"))
    }

    @Test func withoutOptionsItIsTheTemplate() throws {
        var expected = Self.template
        expected.url = "http://h/x"
        #expect(try spec() == expected)
    }

    @Test func theOtherURLsAreMirrors() throws {
        let urls = ["http://h/x", "http://h/x", "http://m/x", "http://n/x", "http://m/x"]
        let spec = try ListEntry(line: 1, urls: urls).spec(Self.template)
        #expect(spec.url == "http://h/x" && spec.mirrors == ["http://m/x", "http://n/x"].map { .init(url: $0) })
        #expect(throws: DownloadError.self) { try ListEntry(line: 1, urls: ["http://h/x", "x"]).spec(Self.template) }
    }

    @Test func aria2sOptionsAreUnderstood() throws {
        let hex = String(repeating: "ab", count: 32)
        let spec = try spec(
            ("out", "o"), ("dir", "e"), ("header", "A: 1"), ("header", "B: 2"), ("checksum", "sha-256=" + hex),
            ("split", "8"), ("max-connection-per-server", "4"), ("referer", "http://r/"), ("user-agent", "me"),
            ("max-download-limit", "1M"), ("max-tries", "3"), ("continue", "true"), ("allow-overwrite", "true"),
            ("timeout", "7"), ("check-certificate", "false"))
        var expected = DownloadSpec(url: "http://h/x", destination: .file(path: "e/o"))
        expected.headers = [("A", "1"), ("B", "2"), ("User-Agent", "me")].map {
            .init(name: $0.0, value: $0.1)
        }
        expected.referer = "http://r/"
        expected.checksum = try Checksum(.sha256, hex: hex)
        expected.connections = .fixed(4)
        expected.rateLimit = 1 << 20
        expected.retries = 2
        expected.onConflict = .replace
        expected.adoptsPartials = true
        expected.idleTimeout = .seconds(7)
        expected.insecure = true
        #expect(spec == expected)
    }

    @Test(
        "aria2's flags that are switched off leave the existing file alone",
        arguments: [
            ("allow-overwrite", .replace, .fail), ("allow-overwrite", .keep, .fail),
            ("allow-overwrite", .rename, .rename), ("allow-overwrite", .skip, .skip),
            ("auto-file-renaming", .rename, .fail), ("auto-file-renaming", .replace, .replace),
            ("auto-file-renaming", .fail, .fail),
        ] as [(String, ConflictPolicy, ConflictPolicy)])
    func existingFile(name: String, common: ConflictPolicy, own: ConflictPolicy) throws {
        var template = Self.template
        template.onConflict = common
        let entry = ListEntry(line: 1, urls: ["http://h/x"], options: [ListOption(name, "false")])
        #expect(try entry.spec(template).onConflict == own)
    }

    @Test(
        "a kind of compression that is switched off leaves the other kinds as they are",
        arguments: [
            ("raw", .request, .request), ("raw", .keep, .decode), ("raw", .decode, .decode),
            ("compressed", .request, .decode), ("compressed", .keep, .keep), ("http-accept-gzip", .keep, .keep),
            ("http-accept-gzip", .request, .decode),
        ] as [(String, Compression, Compression)])
    func compression(name: String, common: Compression, own: Compression) throws {
        var template = Self.template
        template.compression = common
        let entry = ListEntry(line: 1, urls: ["http://h/x"], options: [ListOption(name, "false")])
        #expect(try entry.spec(template).compression == own)
    }

    @Test func haulsOptionsAreUnderstoodInBothSpellings() throws {
        let kebab = try spec(
            ("output", "o"), ("on-conflict", "skip"), ("connect-timeout", "1.5"), ("limit-rate", "5"),
            ("no-resume", "true"), ("partial-folder", "p"), ("range", "0-9"), ("allow-downgrade", "true"),
            ("max-wait", "5"), ("max-time", "6"), ("min-speed", "1K:7"))
        let camel = try spec(
            ("output", "o"), ("onConflict", "skip"), ("connectTimeout", "1.5"), ("limitRate", "5"),
            ("noResume", "true"), ("partialFolder", "p"), ("range", "0-9"), ("allowDowngrade", "true"),
            ("maxWait", "5"), ("maxTime", "6"), ("minSpeed", "1K:7"))
        #expect(kebab == camel)
        #expect(kebab.destination == .file(path: "d/o") && kebab.onConflict == .skip && !kebab.resumes)
        #expect(kebab.maxWait == .seconds(5) && kebab.maxTime == .seconds(6))
        #expect(kebab.minSpeed == MinimumSpeed(bytesPerSecond: 1024, seconds: 7))
        #expect(kebab.range == ByteRange(0, 10) && kebab.rateLimit == 5 && kebab.partialFolder == "p")
    }

    @Test func anAgentOfTheCommandLineIsReplaced() throws {
        var template = Self.template
        template.headers = [.init(name: "user-agent", value: "common"), .init(name: "X", value: "y")]
        let entry = ListEntry(line: 1, urls: ["http://h/"], options: [ListOption("user-agent", "own")])
        #expect(try entry.spec(template).headers.map(\.value) == ["y", "own"])
    }

    @Test(arguments: [
        ("gid", "1"), ("colour", "red"), ("out", "-"), ("out", ""), ("out", "a\0b"), ("split", "0"), ("split", "65"),
        ("checksum", "x"),
        ("header", "hunter2"), ("retries", "-1"), ("retries", "99999999999999999999"), ("insecure", "yes"), ("dir", ""),
        ("on-conflict", "maybe"), ("partial-folder", ""), ("range", "9-0"), ("max-download-limit", "fast"),
    ])
    func whatCanNotBeUsedIsNamedAndNotIgnored(name: String, value: String) {
        let error = #expect(throws: DownloadError.self) { try spec((name, value)) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("several checksums are an error, one given twice is not")
    func severalChecksums() throws {
        let sums = ["0", "1"].map { "md5:" + String(repeating: $0, count: 32) }
        #expect(try spec(("checksum", sums[0]), ("checksum", sums[0])).checksum != nil)
        let error = #expect(throws: DownloadError.self) { try spec(("checksum", sums[0]), ("checksum", sums[1])) }
        #expect(error?.message.hasPrefix("checksum: several values") == true)
    }

    @Test(arguments: [("limitRate", "500K"), ("limit-rate", "1"), ("connectTimeout", "2"), ("maxTries", "0")])
    func namesMayBeWrittenAsInJSON(name: String, value: String) throws {
        let spec = try spec((name, value))
        #expect(spec != Self.template)
    }

    @Test func aBadURLIsNamedWithoutItsPassword() {
        let entry = ListEntry(line: 1, urls: ["gopher://me:hunter2@h/x"])
        let error = #expect(throws: DownloadError.self) { try entry.spec(Self.template) }
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("an option that can't be used is reported with its own line")
    func lineOfAnOption() throws {
        var assembler = ListAssembler()
        _ = assembler.take(.text("http://h/x"), number: 7)
        _ = assembler.take(.text("  out=y"), number: 8)
        _ = assembler.take(.text("  nope=1"), number: 9)
        guard case .entry(let entry)? = assembler.finish().first else { return #expect(Bool(false)) }
        let fault = #expect(throws: ListEntry.Fault.self) { try entry.parsed(Self.template) }
        #expect(fault?.line == 9 && fault?.message.contains("nope") == true)
        let other = ListEntry(line: 7, urls: ["gopher://h/x"])
        #expect(#expect(throws: ListEntry.Fault.self) { try other.parsed(Self.template) }?.line == 7)
    }

    // MARK: The lines of a list

    private func assemble(_ text: String) -> [String] {
        var assembler = ListAssembler()
        var elements: [ListAssembler.Element] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            elements += assembler.take(.text(String(line)), number: index + 1)
        }
        return (elements + assembler.finish()).map { element in
            switch element {
            case .entry(let entry):
                ([String(entry.line)] + entry.urls + entry.options.map { "\($0.name)=\($0.value)" }).joined(
                    separator: " ")
            case .bad(let line, _): "\(line) bad"
            }
        }
    }

    @Test(arguments: [
        ("http://a\nhttp://b", ["1 http://a", "2 http://b"]),
        ("http://a\n out=x\n\n# c\n dir=y\nhttp://b\n out=z", ["1 http://a out=x dir=y", "6 http://b out=z"]),
        (" out=x\nhttp://a", ["1 bad", "2 http://a"]),
        ("http://a\n{\"url\": \"http://b\"}\n out=x\nhttp://c", ["1 http://a", "2 http://b out=x", "4 http://c"]),
        ("{\"url\": \"http://b\", \"out\": \"y\"}\n nonsense\n out=x\nhttp://c", ["2 bad", "4 http://c"]),
        ("{nonsense\n out=x\n dir=y\nhttp://c\n out=z", ["1 bad", "4 http://c out=z"]),
        ("http://a\n nonsense\n out=x", ["2 bad"]), ("", []),
    ])
    func linesAreRightlyPutTogether(text: String, expected: [String]) {
        #expect(assemble(text) == expected)
    }

    @Test func anOptionThatComesTooLateIsComplainedOf() {
        var assembler = ListAssembler()
        #expect(assembler.take(.text("http://a"), number: 1).isEmpty && assembler.isPending)
        #expect(assembler.release() == [.entry(ListEntry(line: 1, urls: ["http://a"]))])
        #expect(!assembler.isPending && assembler.release().isEmpty)
        guard case .bad(line: 2, let message)? = assembler.take(.text(" out=x"), number: 2).first else {
            return #expect(Bool(false))
        }
        #expect(message.contains("too late"))
    }
}

import Foundation
import Haul
import HaulAria2
import HaulCore
import HaulTesting
import Testing

@Suite("From options to specs")
struct Aria2SpecTests {
    static let roots = Aria2Roots(folder: "/home/me", roots: nil)

    static func options(_ values: [String: String]) throws -> Aria2Options {
        var options = Aria2Options()
        for (name, value) in values { try options.take(try #require(Aria2Option.named(name)), value) }
        return options
    }

    static func spec(_ values: [String: String], mirrors: Int = 0) throws -> DownloadSpec {
        let options = try options(values)
        var spec = DownloadSpec(url: "http://a/b", destination: .folder(path: "/"))
        spec.mirrors = (0..<mirrors).map { DownloadSpec.Mirror(url: "http://a/\($0)") }
        try Aria2Spec(roots: roots, options: options).apply(Set(options.names), to: &spec)
        return spec
    }

    @Test(
        "what becomes of a file that is there: all combinations",
        arguments: [true, false], [true, false])
    func conflict(continues: Bool, overwrites: Bool) throws {
        for renames in [true, false] {
            for asks in [true, false] {
                let spec = try Self.spec([
                    "continue": "\(continues)", "allow-overwrite": "\(overwrites)", "auto-file-renaming": "\(renames)",
                    "conditional-get": "\(asks)",
                ])
                let expected: ConflictPolicy =
                    continues || overwrites && asks ? .keep : overwrites ? .replace : renames ? .rename : .fail
                #expect(spec.onConflict == expected)
                #expect(spec.adoptsPartials == continues)
                // Its own unfinished files, with a control file, are resumed in any case.
                #expect(spec.tuning.adoptsControlled == (continues ? nil : true))
            }
        }
    }

    @Test(
        "connections: the smaller of split and all servers together; with split alone they are found",
        arguments: [
            (["split": "8"], 0, .automatic(limit: 8)),
            (["split": "8", "max-connection-per-server": "2"], 0, .fixed(2)),
            (["split": "8", "max-connection-per-server": "2"], 2, .fixed(6)),
            (["max-connection-per-server": "16"], 0, .fixed(5)),
            (["split": "16", "max-connection-per-server": "16"], 0, .fixed(16)),
            (["split": "9223372036854775807", "max-connection-per-server": "64"], 63, .fixed(64)),
            ([:], 0, .automatic(limit: 6)),
        ] as [([String: String], Int, ConnectionLimit)])
    func connections(values: [String: String], mirrors: Int, expected: ConnectionLimit) throws {
        #expect(try Self.spec(values, mirrors: mirrors).connections == expected)
    }

    @Test("limits, tries, times, digests")
    func numbers() throws {
        let sum = String(repeating: "a", count: 40)
        let spec = try Self.spec([
            "max-download-limit": "1M", "max-tries": "3", "timeout": "7", "connect-timeout": "8",
            "checksum": "sha-1=\(sum)",
        ])
        #expect(spec.rateLimit == 1 << 20 && spec.retries == 2)
        #expect(spec.idleTimeout == .seconds(7) && spec.connectTimeout == .seconds(8))
        #expect(spec.checksum == (try Checksum(.sha1, hex: sum)))
        #expect(try Self.spec(["max-tries": "0"]).retries == 1_000_000)
        #expect(try Self.spec(["max-tries": "9223372036854775807"]).retries == 999_999)
        #expect(try Self.spec(["max-download-limit": "0"]).rateLimit == nil)
    }

    /// A spec that the option's range admits and the engine refuses would end a download that runs.
    @Test func theEngineAcceptsTheEndsOfEachRange() throws {
        for option in Aria2Option.table {
            let range: ClosedRange<Int64>
            switch option.kind {
            case .number(let numbers), .size(let numbers): range = numbers
            case _: continue
            }
            for value in [range.lowerBound, range.upperBound, 20_000].filter(range.contains) {
                #expect(throws: Never.self, "\(option.name)=\(value)") {
                    try Self.spec([option.name: "\(value)"]).checkParts()
                }
            }
        }
    }

    @Test("what aria2 alone has: waits, files that are not found, slow servers, parts, room, dates")
    func tuning() throws {
        let spec = try Self.spec(
            [
                "retry-wait": "3", "max-file-not-found": "4", "lowest-speed-limit": "10K", "always-resume": "true",
                "min-split-size": "2M", "file-allocation": "none", "remote-time": "false", "uri-selector": "inorder",
            ], mirrors: 2)
        #expect(spec.tuning.retryWait == .seconds(3) && spec.tuning.notFoundRetries == 3)
        #expect(spec.minSpeed == MinimumSpeed(bytesPerSecond: 10240, seconds: 10))
        #expect(spec.tuning.failsWhenSlow == true && spec.tuning.neverStartsOver == true)
        #expect(spec.tuning.smallestPart == 2 << 20 && spec.tuning.allocatesFrom == .max)
        #expect(spec.tuning.ignoresServerDate == true && spec.mirrors.map(\.priority) == [2, 3])
        let standard = try Self.spec(
            [
                "retry-wait": "0", "max-file-not-found": "0", "lowest-speed-limit": "0", "always-resume": "false",
                "file-allocation": "falloc", "no-file-allocation-limit": "1M", "remote-time": "true",
                "uri-selector": "adaptive",
            ], mirrors: 1)
        var tuning = DownloadTuning()
        tuning.allocatesFrom = 1 << 20
        #expect(standard.tuning == tuning && standard.minSpeed == nil && standard.mirrors.map(\.priority) == [1])
        #expect(try !Self.spec(["remove-control-file": "true"]).resumes)
        #expect(try Self.spec(["remove-control-file": "true", "continue": "true"]).resumes)
    }

    @Test("of a Metalink: files by language, system and version; sources by location and protocol")
    func metalinkChoice() throws {
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a"><language>en</language><language>DE</language>
            <os>Linux-x86</os><version>2.0</version><url location="de" priority="1">http://de/1</url>
            <url location="us" priority="2">https://us/2</url><url location="us" priority="3">http://us/3</url></file>
            <file name="b"><url>http://b/</url></file></metalink>
            """
        let files = try Metalink(parsing: Array(text.utf8)).files
        func admitted(_ values: [String: String]) throws -> [String] {
            let choice = Aria2MetalinkChoice(try Self.options(values))
            return files.filter(choice.admits).map(\.name)
        }
        #expect(try admitted([:]) == ["a", "b"])
        #expect(
            try admitted(["metalink-language": "de", "metalink-os": "linux-x86", "metalink-version": "2.0"]) == ["a"])
        #expect(try admitted(["metalink-language": "fr"]).isEmpty)
        #expect(try admitted(["metalink-version": "1"]).isEmpty)
        func ranked(_ values: [String: String]) throws -> [String] {
            Aria2MetalinkChoice(try Self.options(values)).ranked(files[0].sources).map { "\($0.priority) \($0.url)" }
        }
        #expect(try ranked([:]) == files[0].sources.map { "\($0.priority) \($0.url)" })
        #expect(try ranked(["metalink-location": "fr,us"]) == ["1 https://us/2", "2 http://us/3", "3 http://de/1"])
        #expect(
            try ranked(["metalink-preferred-protocol": "http"]) == ["1 http://de/1", "2 http://us/3", "3 https://us/2"])
    }

    @Test("headers, in their order; a referer of * is the URI; who asks is told to the right kind of server")
    func headers() throws {
        let spec = try Self.spec([
            "header": "X-A:  1: 2", "referer": "*", "user-agent": "me", "http-user": "u", "http-passwd": "p",
            "ftp-user": "f",
        ])
        #expect(spec.headers.map { "\($0.name)=\($0.value)" } == ["X-A=1: 2", "User-Agent=me"])
        #expect(spec.referer == "http://a/b")
        #expect(spec.user == "u" && spec.password == .text("p"))
        #expect(throws: Aria2Failure.option("header")) { try Self.spec(["header": "nonsense"]) }
    }

    @Test("a header with a control character is refused, and blanks around a value are ignored")
    func headerValues() throws {
        for character in ["\u{0B}", "\u{0C}", "\u{7F}"] {
            let failure = Aria2Failure.refused("The value of the header X-A has a control character.")
            #expect(throws: failure) { try Self.spec(["header": "X-A: 1\(character)X-B: 2"]) }
        }
        #expect(throws: Aria2Failure.self) { try Self.spec(["user-agent": "a\u{0B}b"]) }
        #expect(try Self.spec(["header": "X-A: \t1 \t2 \t"]).headers.first?.value == "1 \t2")
    }

    @Test("a change of the user or the headers keeps the password and the headers of http-no-cache")
    func changedRequest() throws {
        func changed(_ names: Set<String>, _ values: [String: String]) throws -> DownloadSpec {
            var spec = try Self.spec([
                "http-user": "u", "http-passwd": "p", "header": "X-A: 1", "http-no-cache": "true",
            ])
            // Reported options have no secrets.
            var options = try Self.options(["http-user": "u", "http-no-cache": "true"])
            options.take(try Self.options(values))
            try Aria2Spec(roots: Self.roots, options: options).apply(names, to: &spec)
            return spec
        }
        let named = try changed(["http-user"], ["http-user": "v"])
        #expect(named.user == "v" && named.password == .text("p"))
        let challenged = try changed(["http-auth-challenge"], ["http-auth-challenge": "true"])
        #expect(challenged.user == "u" && challenged.password == .text("p") && challenged.authentication == .any)
        #expect(try changed(["http-passwd"], ["http-passwd": "q"]).password == .text("q"))
        let removed = try changed(["http-user"], ["http-user": ""])
        #expect(removed.user == nil && removed.password == nil)
        let headers = try changed(["header"], ["header": "X-B: 2"]).headers
        #expect(headers.map { "\($0.name)=\($0.value)" } == ["X-B=2", "Cache-Control=no-cache", "Pragma=no-cache"])
    }

    @Test("without roots a file goes where it is told to; with roots never out of them")
    func roots() throws {
        let folder = try TemporaryFolder()
        let root = folder.path + "/root"
        try FileManager.default.createDirectory(atPath: root + "/sub", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: root + "/out", withDestinationPath: "/tmp")
        try FileManager.default.createSymbolicLink(
            atPath: root + "/dangling", withDestinationPath: folder.path + "/nothing")
        let free = Aria2Roots(folder: "/home/me", roots: nil)
        #expect(try free.file("./F", dir: "/d/") == "/d/F")
        #expect(try free.file("../x/y", dir: nil) == "/home/me/../x/y")
        #expect(try free.dir("sub") == "/home/me/sub")
        let bound = Aria2Roots(folder: root, roots: [root])
        #expect(try bound.file("a.b", dir: nil) == root + "/a.b")
        #expect(try bound.file("sub/a", dir: root) == root + "/sub/a")
        #expect(try bound.file("new/a", dir: root) == root + "/new/a")
        #expect(try bound.dir("sub/new/er") == root + "/sub/new/er")
        #expect(try bound.file("-rf", dir: nil) == root + "/rf")
        for dir in [
            "/", "/tmp", root + "x", root + "/..", root + "/sub/../..", "out", "out/x", "dangling", "dangling/x",
            "../root2", "../\u{301}x", "new/../../\u{301}x",
        ] {
            #expect(throws: Aria2Failure.self, "\(dir)") { try bound.dir(dir) }
        }
        let outside = #expect(throws: Aria2Failure.self) { try bound.dir("/etc") }
        #expect(
            outside?.message == "/etc is outside the allowed folders (\(root)): choose a folder in one of them")
        let own = Aria2Roots(folder: root, roots: [root]) { "not \($0)" }
        #expect(#expect(throws: Aria2Failure.self) { try own.dir("/etc") }?.message == "not /etc")
        for out in ["../a", "sub/../../a", "/", "", "..", "out/a", ".hidden/a"] {
            #expect(throws: Aria2Failure.self, "\(out)") { try bound.file(out, dir: nil) }
        }
    }

    @Test("URIs: what can't be fetched is left out, torrents are told apart, at most 64")
    func sources() throws {
        let some = try Aria2Sources(["http://a/1", "nonsense", "http://a/1", "https://b/2"])
        #expect(some.urls == ["http://a/1", "https://b/2"])
        #expect(try Aria2Sources((0..<100).map { "http://a/\($0)" }).urls.count == 64)
        #expect(throws: Aria2Failure.self) { try Aria2Sources([]) }
        let onlyWeb: Aria2Sources.Check = { source throws(DownloadError) in
            guard source.isWeb else { throw DownloadError(.invalidRequest, "only http") }
        }
        let refused = #expect(throws: Aria2Failure.self) { try Aria2Sources(["ftp://a/b"], check: onlyWeb) }
        #expect(refused?.message == "only http")
        #expect(try Aria2Sources(["ftp://a/b", "http://a/b"], check: onlyWeb).urls == ["http://a/b"])
        let invalid = #expect(throws: Aria2Failure.self) { try Aria2Sources(["nonsense"], check: onlyWeb) }
        #expect(invalid?.message == "No URI to download.")
        let failure = #expect(throws: Aria2Failure.self) { try Aria2Sources(["magnet:?xt=urn:btih:00"]) }
        #expect(failure?.message.contains("BitTorrent") == true)
    }

    @Test(
        "patterns",
        arguments: [
            ("http://a/x", ["http://a/x"]), ("{a,b}/[1-3]", ["a/1", "a/2", "a/3", "b/1", "b/2", "b/3"]),
            ("[008-010]", ["008", "009", "010"]), ("[0-10:5]", ["0", "5", "10"]), ("[a-e:2]", ["a", "c", "e"]),
            ("{a,}", ["a", ""]), ("{", nil), ("[1-", nil), ("[]", nil), ("{}", nil), ("[3-1]", nil), ("[1-2:0]", nil),
            ("[1-99999999999999999999]", nil), ("[0-1000000]", nil), ("[a-1]", nil), ("[a-bc]", nil),
            ("[1-2:3:4]", nil),
            ("[0-999][0-999]", nil), ("[0-1:9223372036854775807]", nil), ("[é-z]", nil),
        ] as [(String, [String]?)])
    func patterns(pattern: String, expected: [String]?) {
        #expect(URIPattern.expand(pattern) == expected)
    }
}

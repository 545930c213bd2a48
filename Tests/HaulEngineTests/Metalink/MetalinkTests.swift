import Foundation
import Haul
import HaulCore
import HaulTesting
import Testing

@Suite("Metalink documents")
struct MetalinkTests {
    static let sha256 = String(repeating: "ab", count: 32)
    static let sha1 = String(repeating: "cd", count: 20)
    static let md5 = String(repeating: "ef", count: 16)

    static let version4 = """
        <?xml version="1.0" encoding="UTF-8"?>
        <metalink xmlns="urn:ietf:params:xml:ns:metalink">
          <!-- a comment -->
          <file name="example.ext">
            <size>14471447</size>
            <identity>Example</identity>
            <hash type="md5">\(md5)</hash>
            <hash type="sha-256">
              \(sha256.uppercased())
            </hash>
            <pieces length="8388608" type="sha-1"><hash>\(sha1)</hash><hash>\(sha1)</hash></pieces>
            <url location="de" priority="20">http://slow.example.com/example.ext</url>
            <url>https://last.example.com/example.ext</url>
            <url location="fr" priority="10">https://fast.example.com/example.ext?a=1&amp;b=2</url>
            <url priority="1">gopher://old.example.com/example.ext</url>
            <metaurl mediatype="torrent">http://example.com/example.ext.torrent</metaurl>
            <x:url xmlns:x="urn:other">http://other.example.com/</x:url>
          </file>
          <file name="sub/folder/second.bin"><url><![CDATA[http://example.com/second.bin]]></url></file>
        </metalink>
        """

    static let version3 = """
        <metalink version="3.0" xmlns="http://www.metalinker.org/">
          <files><file name="old.iso"><size>100</size>
            <verification><hash type="sha1">\(sha1)</hash>
              <pieces length="60" type="sha1"><hash piece="0">\(sha1)</hash><hash piece="1">\(sha1)</hash></pieces>
            </verification>
            <resources maxconnections="2">
              <url type="http" location="us" preference="30">http://b.example.com/old.iso</url>
              <url type="http" preference="100">http://a.example.com/old.iso</url>
              <url type="bittorrent" preference="100">magnet:?xt=1</url>
            </resources></file></files>
        </metalink>
        """

    @Test(
        "pieces of version 3 may be in any order, but each must be there once",
        arguments: [("0", "1", true), ("1", "0", true), ("1", "1", false), ("1", "2", false), ("0", "x", false)])
    func piecesOfVersion3(first: String, second: String, isUsed: Bool) throws {
        let (one, two) = (String(repeating: "1", count: 40), String(repeating: "2", count: 40))
        let pieces = "<hash piece=\"\(first)\">\(one)</hash><hash piece=\"\(second)\">\(two)</hash>"
        let document = try Self.parse(
            """
            <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="a"><size>100</size><verification>
            <pieces length="60" type="sha1">\(pieces)</pieces></verification>
            <resources><url type="http">http://h/a</url></resources></file></files></metalink>
            """)
        let hashes = try #require(document.files.first).pieces?.hashes
        #expect(hashes == (isUsed ? (first == "0" ? [one, two] : [two, one]) : nil))
    }

    static func parse(_ text: String) throws -> Metalink { try Metalink(parsing: Array(text.utf8)) }

    /// A document of one file.
    static func file(_ name: String, _ inside: String = "<url>http://h/f</url>") -> String {
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='\(name)'>\(inside)</file></metalink>"
    }

    @Test("version 4: sizes, the strongest digest, pieces, sources by priority")
    func four() throws {
        let metalink = try Self.parse(Self.version4)
        #expect(metalink.files.map(\.name) == ["example.ext", "sub/folder/second.bin"])
        let file = metalink.files[0]
        #expect(file.totalBytes == 14_471_447)
        let wanted = try Checksum(.sha256, hex: Self.sha256)
        #expect(file.checksum == wanted)
        #expect(file.pieces?.length == 8_388_608)
        #expect(file.pieces?.hashes == [Self.sha1, Self.sha1])
        #expect(
            file.sources.map(\.url) == [
                "https://fast.example.com/example.ext?a=1&b=2", "http://slow.example.com/example.ext",
                "https://last.example.com/example.ext",
            ])
        #expect(file.sources.map(\.priority) == [1, 11, 999_990])
        #expect(file.sources.map(\.location) == ["fr", "de", nil])
        #expect(metalink.omissions.count == 1)
        #expect(metalink.omissions[0].contains("gopher"))
    }

    @Test("version 3, too")
    func three() throws {
        let file = try #require(try Self.parse(Self.version3).files.first)
        #expect(file.name == "old.iso")
        let wanted = try Checksum(.sha1, hex: Self.sha1)
        #expect(file.checksum == wanted)
        #expect(file.pieces?.hashes.count == 2)
        #expect(file.sources.map(\.url) == ["http://a.example.com/old.iso", "http://b.example.com/old.iso"])
        #expect(file.sources.map(\.priority) == [1, 71])
    }

    @Test(
        "a torrent is not a source of the file, whatever the scheme of its URL",
        arguments: ["bittorrent", "BitTorrent"])
    func torrents(type: String) throws {
        func document(_ more: String) -> String {
            """
            <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="x"><resources>
            <url type="\(type)" preference="100">http://h/x.torrent</url>\(more)</resources></file></files></metalink>
            """
        }
        let metalink = try Self.parse(
            document("<url type='HTTP' preference='50'>http://h/x</url><url preference='1'>http://i/x</url>"))
        #expect(metalink.files.first?.sources.map(\.url) == ["http://h/x", "http://i/x"])
        #expect(metalink.omissions == ["x: sources of the type \"\(type)\" can't be downloaded"])
        let error = #expect(throws: DownloadError.self) { try Self.parse(document("")) }
        #expect(error?.message.contains(type) == true)
    }

    @Test("a document may be behind a symbolic link")
    func link() throws {
        let folder = try TemporaryFolder()
        try folder.put(Array(Self.version4.utf8), "real")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("real"))
        let metalink = try Metalink(contentsOf: folder.path("link"))
        #expect(try metalink == Self.parse(Self.version4))
        #expect(throws: DownloadError.self) { try Metalink(contentsOf: folder.path("none")) }
    }

    @Test("a download for each file")
    func specs() throws {
        let specs = try Self.parse(Self.version4).specs(folder: "/tmp/in")
        #expect(specs.map(\.url) == ["https://fast.example.com/example.ext?a=1&b=2", "http://example.com/second.bin"])
        #expect(
            specs.map(\.destination) == [
                .file(path: "/tmp/in/example.ext"), .file(path: "/tmp/in/sub/folder/second.bin"),
            ])
        #expect(specs[0].mirrors.count == 2)
        #expect(specs[0].expectedBytes == 14_471_447)
        #expect(specs[0].checksum?.algorithm == .sha256)
        #expect(specs[0].pieces?.hashes.count == 2)
        let again = try JSONDecoder().decode(DownloadSpec.self, from: try JSONEncoder().encode(specs[0]))
        #expect(again == specs[0])
        let plain = try #require(String(data: try JSONEncoder().encode(specs[1]), encoding: .utf8))
        #expect(!plain.contains("mirrors") && !plain.contains("pieces") && !plain.contains("expectedBytes"))
    }

    @Test(
        "names that lead out of the folder are refused",
        arguments: ["../a", "a/../../b", "/etc/passwd", "..", "C:\\x", "a\\..\\b", ""])
    func hostileNames(name: String) {
        #expect(throws: DownloadError.self) { try Self.parse(Self.file(name)) }
    }

    @Test(
        "other names are made safe",
        arguments: [
            ("a/b/c.bin", "a/b/c.bin"), (".hidden", "hidden"), ("-rf", "rf"), ("a&#x202E;b", "ab"),
            ("x/", "x/download"), ("./a//b", "a/b"), (".git/-x/a", "git/x/a"), (".../a", "download/a"),
        ])
    func names(name: String, safe: String) throws {
        #expect(try Self.parse(Self.file(name)).files.map(\.name) == [safe])
    }

    @Test("files of one name get different ones, however many")
    func sameNames() throws {
        let files = (0..<2000).map {
            "<file name='d/a (1).bin'><url>http://h/\($0)</url></file><file name='d/a.bin'><url>http://h/x</url></file>"
        }
        let text = "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files.joined())</metalink>"
        let names = try Self.parse(text).files.map(\.name)
        #expect(Set(names).count == 4000)
    }

    static let broken: [String] = [
        "", "   ", "no XML", "{}", "<metalink", "<metalink/>", "<html xmlns='urn:ietf:params:xml:ns:metalink'/>",
        " <?xml version='1.0'?>\(file("x"))", "<?y \(file("x"))", "<!-- \(file("x"))",
        "<!DOCTYPE m [<!ENTITY a 'b'>]>\(file("x"))", "<!doctype html>\(file("x"))",
        "<?xml version='1.0'?>\n<!DOCTYPE m SYSTEM 'file:///etc/passwd'>\(file("x"))",
        "<?xml version='1.0' encoding='UTF-7'?>\(file("x"))",
        "<?xml version='1.0' encoding='ISO-8859-1'?>\(file("x"))",
        file("x", "&undeclared;<url>http://h/f</url>"), file("x", "<url>http://h/f</wrong>"),
        file("x", ""), file("x", "<url>ftp</url>"), file("x", "<url>file:///etc/passwd</url>"),
        file("x", "<size>-1</size><url>http://h/f</url>"),
        file("x", "<size>99999999999999999999</size><url>http://h/f</url>"),
        file("x", "<hash type='sha-256'>xyz</hash><url>http://h/f</url>"),
        file("x", "\(deep("<a>"))\(deep("</a>"))<url>http://h/f</url>"), "\u{0}\(file("x"))", "\(file("x"))\u{0}",
    ]

    static func deep(_ tag: String) -> String { String(repeating: tag, count: 40) }

    @Test(
        "a web page is called one",
        arguments: ["<!DOCTYPE html><html><br></html>", " <!doctype HTML SYSTEM 'x'>", "<html>\n", "<HTML lang='en'>"])
    func webPage(text: String) {
        let error = #expect(throws: DownloadError.self) { try Self.parse(text) }
        #expect(error?.message.hasPrefix("not a valid Metalink: it is a web page (HTML)") == true)
    }

    @Test(
        "processing instructions and comments are skipped",
        arguments: [
            "<?x?>", "<?xml?>", "<?xmlx?>", "<?xml version='1.0'?><?x?>", "<?xml-stylesheet href='x'?>",
            "<!-- <!DOCTYPE m [<!ENTITY a 'b'>]> -->",
        ])
    func skipped(text: String) throws {
        let bare = Self.file("x", "<url>http://h/f</url>")
        #expect(try Self.parse(text + bare) == Self.parse(bare))
    }

    @Test("a message about malformed XML is short and printable")
    func malformed() {
        let name = String(repeating: "ä\u{9B}", count: 10_000)
        let error = #expect(throws: DownloadError.self) {
            try Self.parse("<metalink xmlns='urn:ietf:params:xml:ns:metalink'><\(name)>")
        }
        #expect(error?.message.hasPrefix("not a valid Metalink: malformed XML, at line 1: <ä") == true)
        #expect(error.map { $0.message.count < 300 && !$0.message.contains("\u{9B}") } == true)
    }

    @Test("hostile and broken documents are refused", arguments: broken)
    func refused(text: String) {
        let error = #expect(throws: DownloadError.self) { try Self.parse(text) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("UTF-16 and documents beyond the limits are refused")
    func limits() {
        let wide: [UInt8] = [0xFF, 0xFE] + Self.file("x").utf8.flatMap { [$0, 0] }
        #expect(throws: DownloadError.self) { try Metalink(parsing: wide) }
        let large = Self.file("x", String(repeating: " ", count: Metalink.maxBytes))
        #expect(throws: DownloadError.self) { try Self.parse(large) }
        let one = "<file name='a'><url>http://h/a</url></file>"
        let many = String(repeating: one, count: Metalink.maxFiles + 1)
        #expect(throws: DownloadError.self) {
            try Self.parse("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(many)</metalink>")
        }
    }

    @Test("pieces that do not fit are left out, said so, and the file is still downloaded")
    func badPieces() throws {
        let pieces = "<pieces length='10' type='sha-1'><hash>\(Self.sha1)</hash></pieces>"
        for inside in [
            "<size>100</size>\(pieces)", "<pieces length='0' type='sha-1'><hash>\(Self.sha1)</hash></pieces>",
            "<pieces length='9999999999999999999' type='sha-1'><hash>\(Self.sha1)</hash></pieces>",
            "<pieces length='10' type='sha-1'/>", "<pieces length='10' type='sha-1'><hash>1</hash></pieces>",
        ] {
            let metalink = try Self.parse(Self.file("x", inside + "<url>http://h/f</url>"))
            #expect(metalink.files[0].pieces == nil)
            #expect(metalink.omissions.count == 1)
        }
    }

    @Test("any bytes are read or refused, never a trap")
    func fuzz() {
        var generator = Generator()
        let seeds = [Self.version4, Self.version3, Self.file("x")].map { Array($0.utf8) }
        for _ in 0..<3000 {
            var bytes = seeds[Int.random(in: 0..<3, using: &generator)]
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: at)
                case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 20)], at: at)
                default: bytes.removeLast(min(bytes.count - 1, 30))
                }
            }
            guard let metalink = try? Metalink(parsing: bytes) else { continue }
            for file in metalink.files {
                let parts = file.name.split(separator: "/", omittingEmptySubsequences: false)
                #expect(parts.allSatisfy { !["", ".", ".."].contains($0) } && !file.sources.isEmpty)
            }
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64 = 42
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }
}

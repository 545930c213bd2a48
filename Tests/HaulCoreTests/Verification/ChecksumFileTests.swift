import HaulCore
import Testing

@Suite("Files of checksums, as sha256sum(1), shasum(1), openssl(1) and BSD write them")
struct ChecksumFileTests {
    static let digests: [Checksum.Algorithm: String] = [
        .md5: String(repeating: "a1", count: 16), .sha1: String(repeating: "B2", count: 20),
        .sha256: String(repeating: "c3", count: 32), .sha512: String(repeating: "d4", count: 64),
    ]

    static func read(_ text: String, _ algorithm: Checksum.Algorithm? = nil) -> ChecksumFile {
        ChecksumFile(Array(text.utf8), algorithm: algorithm)
    }

    @Test("every form of a line, for every algorithm", arguments: Checksum.Algorithm.allCases)
    func forms(algorithm: Checksum.Algorithm) throws {
        let hex = try #require(Self.digests[algorithm])
        let checksum = try Checksum(algorithm, hex: hex)
        let tag = algorithm.rawValue.uppercased()
        let named = [
            "\(hex)  a b.iso", "\(hex) *a b.iso", "\(hex) a b.iso", "\(hex)\ta b.iso", "\(hex)  a b.iso\r",
            "\(tag) (a b.iso) = \(hex)", "\(tag)(a b.iso)= \(hex)", "\(algorithm.label) (a b.iso) = \(hex)",
            "\\\(hex)  a b.iso",
            "\u{FEFF}\(hex)  a b.iso", "  \(hex)  a b.iso",
        ]
        for line in named {
            let file = Self.read(line)
            #expect(file.entries == [.init("a b.iso", checksum)], "\(line)")
            #expect(file.checksum(of: "a b.iso") == checksum)
            #expect(file.checksum(of: "b.iso") == nil)
        }
        for line in [hex, "\(hex) ", " \(hex)\r\n", "\(hex)  "] {
            #expect(Self.read(line).entries == [.init(nil, checksum)], "\(line)")
        }
    }

    @Test("names: parentheses, escapes, the folder itself; other folders are other files")
    func names() throws {
        let hex = try #require(Self.digests[.sha256])
        let file = Self.read(
            """
            \(hex)  a (1).iso
            SHA256 (b) (2).iso) = \(hex)
            \\\(hex)  c\\\\d\\ne\\r
            \(hex)  ./f
            \(hex)  sub/g
            \\\(hex)  bad\\x
            \\\(hex)  bad\\
            """)
        #expect(file.entries.map(\.name) == ["a (1).iso", "b) (2).iso", "c\\d\ne\r", "./f", "sub/g"])
        #expect(file.otherLines == 2)
        #expect(file.checksum(of: "f") != nil && file.checksum(of: "g") == nil)
    }

    @Test("comments, signatures, pages and unknown algorithms are skipped, and counted")
    func others() throws {
        let hex = try #require(Self.digests[.sha256])
        let file = Self.read(
            """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA256

            # a.iso: 5 bytes
            SHA256 (a.iso) = \(hex)
            SHA384 (a.iso) = \(hex)\(hex.prefix(32))
            SHA512/256 (a.iso) = \(hex)
            SHA512 (a.iso) = \(hex)
            \(hex)a.iso
            \(hex.dropLast())  a.iso
            <html><body>404</body></html>
            """)
        #expect(file.entries.count == 1 && file.otherLines == 8)
        #expect(Self.read("").entries.isEmpty)
    }

    @Test("the strongest counts; two of one algorithm that differ are no answer")
    func strongest() throws {
        let sums = Checksum.Algorithm.allCases.compactMap { Self.digests[$0] }.map { "\($0)  f" }
        #expect(Self.read(sums.joined(separator: "\n")).checksum(of: "f")?.algorithm == .sha512)
        let other = String(repeating: "0", count: 64)
        let mine = try #require(Self.digests[.sha256])
        #expect(Self.read("\(mine)  f\n\(other)  f").checksum(of: "f") == nil)
        #expect(Self.read("\(mine)  f\n\(mine.uppercased())  f\n\(other)  g").checksum(of: "f")?.hex == mine)
    }

    @Test("names are compared byte for byte: two forms of an accented letter are two files")
    func forms() throws {
        let hex = try #require(Self.digests[.sha256])
        let file = Self.read("\(hex)  \u{E9}.iso")
        #expect(file.checksum(of: "\u{E9}.iso") != nil && file.checksum(of: "e\u{301}.iso") == nil)
        #expect(file.checksum(of: "e\u{301}.iso", isItsOwn: true) == nil)
    }

    @Test("a folder is told from a name that begins with a combining character")
    func combining() throws {
        let hex = try #require(Self.digests[.sha256])
        let name = "\u{301}a"
        #expect(Self.read("\(hex)  /build/\(name)", .sha256).checksum(of: name, isItsOwn: true)?.hex == hex)
        #expect(Self.read("\(hex)  ./\(name)").checksum(of: name)?.hex == hex)
        #expect(Self.read("\(hex)  /build/\(name)", .sha256).checksum(of: "build/\(name)", isItsOwn: true) == nil)
    }

    @Test("a line whose name is not UTF-8 is skipped: as text, the name would be another one")
    func undecodable() {
        let line = Array(String(repeating: "0", count: 64).utf8) + Array("  v".utf8) + [0xE9, 0x0A]
        let file = ChecksumFile(line + line.map { $0 == 0xE9 ? 0x65 : $0 })
        #expect(file.entries.map(\.name) == ["ve"] && file.otherLines == 1)
    }

    @Test("a file's own list: a single entry without a name or with this one applies; another file's does not")
    func own() throws {
        let hex = try #require(Self.digests[.sha256])
        let other = String(repeating: "0", count: 64)
        for line in [hex, "\(hex)  /build/out/f", "\(hex)  f", "\(hex)  -"] {
            #expect(Self.read(line, .sha256).checksum(of: "f", isItsOwn: true)?.hex == hex)
        }
        for line in ["\(hex)  g", "\(hex)  f/g", "\(hex)  ff"] {
            #expect(Self.read(line, .sha256).checksum(of: "f", isItsOwn: true) == nil, "\(line)")
        }
        #expect(Self.read("\(hex)  a\n\(other)  b").checksum(of: "f", isItsOwn: true) == nil)
        #expect(Self.read(hex).checksum(of: "f") == nil)
        #expect(Self.read(hex, .sha512).entries.isEmpty)
    }

    @Test("where to look, the better algorithms first")
    func places() throws {
        let groups = ChecksumLocation.groups(for: "a.iso")
        #expect(groups.first?.map(\.name) == ["a.iso.sha512", "a.iso.sha256", "SHA512SUMS", "SHA256SUMS"])
        #expect(groups.joined().filter(\.isItsOwn).count == 4)
        let url = try SourceURL(parsing: "https://u:p@h/x%20y/a%2Fb.iso?k=v")
        #expect(url.sibling("SHA256SUMS").string == "https://h/x%20y/SHA256SUMS?k=v")
        #expect(url.sibling(url.lastEncodedComponent + ".md5").string == "https://h/x%20y/a%2Fb.iso.md5?k=v")
        #expect(try SourceURL(parsing: "http://h//o/f").sibling("g").origin.host == "h")
    }

    @Test("any bytes are survived", arguments: 0..<64 as Range<UInt64>)
    func fuzz(seed: UInt64) throws {
        var texts = FuzzText(seed: seed)
        let hex = try #require(Self.digests[.sha256])
        let pieces = [
            hex, "  ", " *", "\\", "\\n", "(", ")", "=", "SHA256", "MD5", "\n", "\r", "name", "\0", "./", "\u{FEFF}",
        ]
        for _ in 0..<200 {
            let texts = [
                texts.noise(), texts.mixture(of: pieces), texts.mutation(of: "SHA256 (n) = \(hex)\n\(hex)  n"),
            ]
            for text in texts {
                let file = Self.read(text)
                for entry in file.entries { #expect(entry.name?.isEmpty != true) }
                _ = file.checksum(of: "n", isItsOwn: true)
            }
        }
    }
}

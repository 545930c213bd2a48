import HaulCore
import Testing

@testable import HaulStore

@Suite("A search for URLs") struct SourceSearchTests {
    /// Forms of one URL, with those that are another one.
    private static let same = [
        "http://example.org/a%20b/c.iso?q=1", "http://EXAMPLE.org/a b/c.iso?q=1",
        "HTTP://example.org:80/a%20b/c.iso?q=1",
        "http://user:secret@example.org/a%20b/./c.iso?q=1#part",
    ]
    private static let others = [
        "https://example.org/a%20b/c.iso?q=1", "http://example.org/a%20b/c.iso", "http://example.org/a%20b/c.iso?q=2",
        "http://example.org:81/a%20b/c.iso?q=1", "http://example.org/A%20b/c.iso?q=1",
        "http://www.example.org/a%20b/c.iso?q=1",
    ]

    @Test("finds a URL however it is written, and no other one", arguments: same)
    func forms(_ wanted: String) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(
            (Self.same + Self.others).enumerated().map { DownloadSpec(url: $1, destination: .file(path: "/\($0)")) })
        #expect(try catalogue.ids(StoredFilter(urls: [wanted])) == Array(ids.prefix(Self.same.count)))
    }

    @Test("takes a text for canonical only if the parser does")
    func canonical() throws {
        let texts =
            Self.same + Self.others + [
                "http://example.org/", "http://example.org", "https://example.org/a/b.tar.gz",
                "http://example.org/a/../b",
                "http://example.org/.a", "http://exAmple.org/a", "http://example.org/B", "http://[::1]/a", "ftp://h/a",
                "",
                "http://", "http:///a", "http://h//a", "http://bücher.example/a", "http://127.1/a", "http://h./a",
                "http://h-/a",
            ]
        var count = 0
        for text in texts where SourceSearch.isCanonical(text) {
            count += 1
            let parsed = try? SourceURL(parsing: text)
            #expect(parsed == nil || parsed?.string == text, "\(text)")
        }
        #expect(count >= 3)
    }
}

import Haul
import HaulCore
import Testing

@Suite struct SourceIdentityTests {
    @Test(
        "a source is its URL without credentials, and the part that is wanted, and whether it is saved as it is encoded"
    )
    func digest() throws {
        func digest(_ url: String, _ range: ByteRange? = nil) throws -> String {
            SourceIdentity.digest(try SourceURL(parsing: url), range)
        }
        let plain = try digest("https://host/f")
        #expect(plain.count == 64)
        #expect(try digest("https://me:secret@HOST:443/f") == plain)
        #expect(try digest("https://host/f?key") != plain)
        #expect(try digest("https://host/f", ByteRange(from: 0, to: 9)) != plain)
        let url = try SourceURL(parsing: "https://host/f")
        #expect(SourceIdentity.digest(url, nil, .keep) != plain && SourceIdentity.digest(url, nil, .request) == plain)
    }

    @Test("the newest of those that were replaced stands last, each once, at most 32")
    func replaced() {
        #expect(SourceIdentity.replacing("a", after: []) == ["a"])
        #expect(SourceIdentity.replacing("a", after: ["a", "b"]) == ["b", "a"])
        let many = (0..<40).reduce(into: [String]()) { $0 = SourceIdentity.replacing("\($1)", after: $0) }
        #expect(many == (8..<40).map { "\($0)" })
    }
}

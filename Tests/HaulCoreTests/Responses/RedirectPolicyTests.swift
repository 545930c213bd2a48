import HaulCore
import Testing

@Suite("Redirects")
struct RedirectPolicyTests {
    static func next(_ location: String, from: String, after: [String] = [], downgrade: Bool = false) throws -> String {
        try RedirectPolicy(allowsDowngrade: downgrade).next(
            location, from: SourceURL(parsing: from), after: after.map { try SourceURL(parsing: $0) }
        ).string
    }

    static func refusal(_ location: String, from: String, after: [String] = []) -> DownloadError? {
        do {
            _ = try next(location, from: from, after: after)
            return nil
        } catch {
            return error as? DownloadError
        }
    }

    @Test("relative and absolute")
    func follows() throws {
        #expect(try Self.next("b", from: "http://h/x/a") == "http://h/x/b")
        #expect(try Self.next("https://o/", from: "http://h/") == "https://o/")
    }

    @Test("never to another scheme, never down from https")
    func schemes() throws {
        for location in ["file:///etc/passwd", "ftp://h/f", "data:,x", "javascript:1"] {
            #expect(Self.refusal(location, from: "http://h/")?.code == .redirectRefused, "\(location)")
        }
        let file = Self.refusal("file:///etc/passwd", from: "http://h/")
        #expect(file?.message == "the server redirects to \"file:///etc/passwd\": only http and https are followed")
        #expect(Self.refusal("http://h/", from: "https://h/")?.code == .redirectRefused)
        #expect(try Self.next("http://h/", from: "https://h/", downgrade: true) == "http://h/")
    }

    @Test("what was asked before an answer set cookies may be asked again, once", arguments: 0...3)
    func newCookies(settled: Int) throws {
        let way = try ["http://h/a", "http://h/b"].map { try SourceURL(parsing: $0) }
        let current = try SourceURL(parsing: "http://h/c")
        for (index, target) in (way + [current]).enumerated() {
            let found = try? RedirectPolicy(allowsDowngrade: false).next(
                target.string, from: current, after: way, settled: settled)
            #expect((found == target) == (index < settled))
        }
    }

    @Test("a loop is named")
    func loops() throws {
        let error = try #require(Self.refusal("/a", from: "http://h/b", after: ["http://h/a"]))
        #expect(error.message.contains("http://h/a -> http://h/b -> http://h/a"))
        #expect(Self.refusal("/a", from: "http://h/a") != nil)
    }

    @Test("at most twenty")
    func limit() throws {
        let way = (0..<19).map { "http://h/\($0)" }
        #expect(try Self.next("/x", from: "http://h/19", after: way) == "http://h/x")
        #expect(Self.refusal("/x", from: "http://h/20", after: way + ["http://h/19"])?.code == .redirectRefused)
    }

    @Test("a secret in a URL is in no message")
    func secrets() throws {
        let error = try #require(Self.refusal("http://u:hunter2@h/a?token=hunter3", from: "https://h/"))
        #expect(!"\(error)".contains("hunter"))
    }
}

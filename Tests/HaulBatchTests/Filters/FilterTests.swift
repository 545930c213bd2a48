import HaulBatch
import Testing

@Suite struct MediaTypeTests {
    struct Sample: Sendable {
        var bytes: [UInt8]
        var type: String?

        init(_ bytes: [UInt8], _ type: String?) { (self.bytes, self.type) = (bytes, type) }
        init(_ text: String, _ type: String?) { (bytes, self.type) = (Array(text.utf8), type) }
    }

    static let samples: [Sample] = [
        Sample([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), Sample("GIF89a", "image/gif"),
        Sample("RIFF    WEBPVP8 ", "image/webp"), Sample("RIFF    WAVE", "audio/wav"),
        Sample("\0\0\0 ftypavif", "image/avif"), Sample("\0\0\0 ftypisom", "video/mp4"),
        Sample("%PDF-1.7", "application/pdf"), Sample("  <!DOCTYPE html>", "text/html"),
        Sample("\u{FEFF}<html>", "text/html"), Sample("<svg xmlns", "image/svg+xml"),
        Sample([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), Sample("hello", nil), Sample("", nil),
        Sample("RIFF", nil), Sample("BM", nil),
    ]

    @Test(arguments: samples)
    func `the first bytes show the type`(sample: Sample) { #expect(MediaType.detect(sample.bytes) == sample.type) }

    @Test(
        arguments: [
            ("image/JPEG; q=1", "image/jpeg"), (" text/plain ", "text/plain"), ("application/octet-stream", nil),
            ("", nil),
            ("x", nil), (nil, nil),
        ] as [(String?, String?)])
    func `a header names the type`(value: String?, type: String?) { #expect(MediaType.declared(value) == type) }

    @Test(
        arguments: [
            ("image/jpeg", "/a.png", "jpg"), (nil, "/a.PNG", "png"), (nil, "/a", "bin"), ("text/csv", "/x", "csv"),
            (nil, "/a.json", "content.json"), ("application/json", "/", "content.json"), (nil, "/a.b/c", "bin"),
            ("application/vnd.very-long", "/a.toolongending", "bin"), (nil, "/a.j%2F", "bin"),
        ] as [(String?, String, String)])
    func `the ending follows from the type, then from the path`(type: String?, path: String, ending: String) {
        #expect(MediaType.fileExtension(type, path: path) == ending)
    }
}

@Suite struct RobotsTests {
    @Test(
        arguments: [
            (["noai"], "noai"), (["NOINDEX, noai"], "noindex"), (["nofollow"], nil), (["otherbot: noai"], nil),
            (["haul: noai"], "noai"), (["otherbot: x, noai"], nil), (["nofollow", "noai"], "noai"),
            (["none"], "noindex"),
            (["unavailable_after: 25 Jun 2010 15:00:00 PST, noai"], "noai"), (["max-snippet: 5"], nil), ([], nil),
            ([","], nil),
            (["unavailable_after: Sat, 25 Jun 2050 15:00:00 GMT, noai"], "noai"),
            (["unavailable_after: Saturday, 25-Jun-50 15:00:00 GMT, noai"], "noai"),
            (["otherbot: unavailable_after: Sat, 25 Jun 2050 15:00:00 GMT, noai"], nil),
            (["rating: adult, noai"], "noai"), (["otherbot/2.0: nofollow, noai"], nil),
            (["otherbot: nofollow, haul: noai"], "noai"),
        ] as [([String], String?)])
    func `X-Robots-Tag is for all clients or for a named one`(values: [String], found: String?) {
        #expect(RobotsTag.disallowed(values, ["noai", "noindex"], agent: "haul") == found)
    }

    @Test(
        arguments: [
            ("", "/x", true), ("User-agent: *\nDisallow: /", "/x", false), ("User-agent: *\nDisallow:", "/x", true),
            ("User-agent: haul\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/b", true),
            ("User-agent: haul\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/ab", false),
            ("user-agent: x\nuser-agent: HAUL\ndisallow: /a", "/a", false),
            ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true),
            ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", true),
            ("User-agent: *\nDisallow: /*.gif$", "/x.gif", false),
            ("User-agent: *\nDisallow: /*.gif$", "/x.gif?a", true), ("User-agent: *\nDisallow: *a*a*", "/bab", true),
            ("User-agent: *\nDisallow: *a*a*", "/baab", false), ("Disallow: /", "/x", true),
            ("User-agent: * # all\nDisallow: /x # no", "/x", false),
            ("\u{FEFF}User-agent: *\nDisallow: /p", "/p", false),
            ("User-agent: *\nDisallow: /é", "/%C3%A9", false), ("User-agent: *\nDisallow: /%c3%a9", "/é", false),
            ("User-agent: *\nDisallow: /a%3cd", "/a%3Cd", false), ("User-agent: *\nDisallow: /%61b", "/ab", false),
            ("User-agent: *\nDisallow: /ab", "/%61b", false), ("User-agent: *\nDisallow: /a%2Fb", "/a/b", true),
            ("User-agent: *\nDisallow: /a%2Ab", "/a*b", false), ("User-agent: *\nDisallow: /a%2Ab", "/axb", true),
            ("User-agent: *\nDisallow: /a%24", "/a$b", false), ("User-agent: *\nDisallow: /a$b", "/a$bc", false),
            ("User-agent: *\nDisallow: /100%", "/100%25", false),
        ] as [(String, String, Bool)])
    func `robots.txt follows RFC 9309`(text: String, path: String, isAllowed: Bool) {
        #expect(RobotsText(Array(text.utf8), agent: "haul").allows(path) == isAllowed)
    }

    @Test func `a file that can't be read disallows all but itself`() {
        #expect(!RobotsText.unreachable.allows("/x") && RobotsText.unreachable.allows("/robots.txt"))
        #expect(RobotsText.allowed.allows("/x"))
    }

    @Test(.timeLimit(.minutes(1))) func `many stars take little time`() {
        let text = "User-agent: *\nDisallow: " + String(repeating: "*a", count: 2000) + "b"
        #expect(RobotsText(Array(text.utf8), agent: "haul").allows("/" + String(repeating: "a", count: 4000)))
    }

    @Test(arguments: [("haul-data/1.0 (+https://h)", "haul-data"), ("Haul", "haul"), ("", "")])
    func `the name of a client is its first word`(agent: String, name: String) {
        #expect(RobotsTag.name(ofAgent: agent) == name)
    }
}

@Suite struct ResponseRulesTests {
    private var rules: ResponseRules {
        var rules = ResponseRules()
        (rules.maxSize, rules.accepted, rules.disallowed) = (100, ["image/*", "application/pdf"], ["noai"])
        return rules
    }

    @Test(
        arguments: [
            (100, "image/png", [], nil), (101, "image/png", [], "tooLarge"), (1, "text/html", [], "mediaType"),
            (1, "application/pdf", [], nil), (1, nil, [], nil), (1, "application/octet-stream", [], nil),
            (1, "image/png", ["noai"], "robotsTag"), (nil, "images/png", [], "mediaType"),
        ] as [(Int64?, String?, [String], String?)])
    func `a head is judged`(length: Int64?, type: String?, tags: [String], code: String?) {
        #expect(rules.judge(contentLength: length, contentType: type, robotsTags: tags)?.code == code)
    }

    static let contents: [([UInt8], String?, String?)] = [
        ([0xFF, 0xD8, 0xFF], "image/png", nil), (Array("<html>".utf8), "image/png", "mediaType"),
        ([0x78], nil, "mediaType"),
        ([0x78], "image/x", nil), ([], "application/octet-stream", "mediaType"),
        ([], "image/png", "mediaType"),
    ]

    @Test(arguments: contents)
    func `the content is judged by its first bytes`(bytes: [UInt8], type: String?, code: String?) {
        #expect(rules.judge(start: bytes, contentType: type)?.code == code)
    }

    @Test func `a content of unknown type is accepted as application/octet-stream`() {
        var rules = ResponseRules()
        rules.accepted = ["application/octet-stream"]
        #expect(rules.judge(start: [0x78], contentType: nil) == nil)
        #expect(rules.judge(start: Array("<html>".utf8), contentType: nil)?.code == "mediaType")
    }

    @Test func `without rules everything is kept`() {
        let rules = ResponseRules()
        #expect(rules.judge(contentLength: .max, contentType: "a/b", robotsTags: ["noai"]) == nil)
        #expect(rules.judge(start: [], contentType: nil) == nil)
        #expect(rules.judge(size: .max) == nil)
    }
}

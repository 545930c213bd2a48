import HaulCore
import Testing

@Suite("Validators")
struct ValidatorsTests {
    static let date = "Sat, 21 Nov 2026 08:00:00 GMT"
    static let other = "Sat, 21 Nov 2026 09:00:00 GMT"

    @Test("only what is strong goes into If-Range, byte for byte")
    func ifRange() {
        #expect(Validators(etag: "\"a\"").ifRange == "\"a\"")
        #expect(Validators(etag: "W/\"a\"").ifRange == nil)
        #expect(Validators(etag: "W/\"a\"", lastModified: Self.date, dateIsStrong: true).ifRange == Self.date)
        #expect(Validators(lastModified: Self.date, dateIsStrong: false).ifRange == nil)
        #expect(Validators().ifRange == nil)
    }

    @Test(
        "an empty tag is the same for every file, and ignored", arguments: ["", "\"", "W/", "W/\"", "\"\"", "W/\"\""])
    func empty(tag: String) {
        #expect(Validators(etag: tag).etag == nil)
    }

    @Test(
        "a malformed tag proves nothing, but another one is of another version",
        arguments: ["a", "\"a", "\"a b\"", "w/a", "\"\u{E4}\""])
    func malformed(tag: String) {
        let one = Validators(etag: tag, lastModified: Self.date)
        #expect(one.strongETag == nil && one.ifRange == nil)
        #expect(one.agreement(with: one) == .unknown)
        let other = Validators(etag: tag.replacing("\u{E4}", with: "\u{F6}"))
        #expect((one.agreement(with: other) == .different) == tag.contains("\u{E4}"))
        #expect(one.agreement(with: Validators(etag: tag + "c", lastModified: Self.date)) == .different)
        // The journal keeps the tag as it is held.
        #expect(Validators(etag: one.etag, lastModified: Self.date) == one)
    }

    @Test(
        "agreement",
        arguments: [
            (Validators(etag: "\"a\""), Validators(etag: "\"a\""), Validators.Agreement.same),
            (Validators(etag: "\"a\""), Validators(etag: "\"b\""), .different),
            (Validators(etag: "W/\"a\""), Validators(etag: "W/\"a\""), .unknown),
            (Validators(etag: "W/\"a\""), Validators(etag: "\"a\""), .unknown),
            (Validators(etag: "W/\"a\""), Validators(etag: "W/\"b\""), .different),
            (Validators(), Validators(), .unknown),
            (Validators(etag: "\"a\""), Validators(), .unknown),
            (Validators(lastModified: date), Validators(lastModified: date), .unknown),
            (Validators(lastModified: date, dateIsStrong: true), Validators(lastModified: other), .different),
            (Validators(etag: "\"a\"", lastModified: date), Validators(etag: "\"a\"", lastModified: other), .different),
            (Validators(etag: "\"a\"", lastModified: date), Validators(etag: "\"b\"", lastModified: date), .different),
            (strong("W/\"a\""), Validators(etag: "W/\"a\"", lastModified: other), .different),
            (strong("W/\"a\""), Validators(etag: "\"a\"", lastModified: other), .different),
            (strong("W/\"a\""), strong("W/\"a\""), .same), (strong("W/\"a\""), strong("\"a\""), .unknown),
            (strong("\"a\""), strong("W/\"a\""), .unknown),
            (strong("\"a\""), strong(nil), .unknown), (strong(nil), strong(nil), .same),
            (strong(nil), Validators(), .unknown), (strong("\"a\""), Validators(etag: "\"a\""), .same),
        ])
    func agreement(one: Validators, two: Validators, expected: Validators.Agreement) {
        #expect(one.agreement(with: two) == expected)
        #expect(two.agreement(with: one) == expected)
    }

    private static func strong(_ tag: String?) -> Validators {
        Validators(etag: tag, lastModified: date, dateIsStrong: true)
    }

    @Test("of equal dates, only that of the earlier response tells: the file may have changed in the same second")
    func earlierDate() {
        let (weak, strong) = (Validators(lastModified: Self.date), Self.strong(nil))
        #expect(strong.agreement(with: weak) == .same)
        #expect(weak.agreement(with: strong) == .unknown)
    }
}

import HaulTestData

/// File names in headers and URLs.
extension SloppyCase {
    /// A case with a `Content-Disposition`.
    private static func named(_ name: String, _ value: String, _ expected: String) -> SloppyCase {
        SloppyCase("names", name, .file(expected)) { $0.lines = ["Content-Disposition: " + value] }
    }

    /// A case with a URL.
    private static func url(_ name: String, _ path: String, _ expected: String) -> SloppyCase {
        SloppyCase("names", name, path: path, .file(expected)) { _ in }
    }

    static let names: [SloppyCase] = [
        named("Latin-1", "attachment; filename=\"foo-\u{E4}.html\"", "foo-ä.html"),
        named("Latin-1 without quotes", "attachment; filename=foo-\u{E4}.html", "foo-ä.html"),
        named("UTF-8", "attachment; filename=\"" + "foo-ä.html".utf8Bytes + "\"", "foo-ä.html"),
        named("a currency sign and a space", "attachment; filename=\"\u{A3} rates.pdf\"", "£ rates.pdf"),
        named("a euro sign in Windows-1252", "attachment; filename=\"\u{80}.pdf\"", "€.pdf"),
        named("quotation marks in Windows-1252", "attachment; filename=\"\u{93}a\u{94}.pdf\"", "“a”.pdf"),
        named("half of a character in UTF-8", "attachment; filename=\"a\u{C3}.pdf\"", "aÃ.pdf"),
        named("a byte without a meaning", "attachment; filename=\"a\u{81}b.pdf\"", "ab.pdf"),
        named("U+FFFD from the server", "attachment; filename=\"" + "a\u{FFFD}b.pdf".utf8Bytes + "\"", "a_b.pdf"),
        named(
            "Latin-1 and the extended form", "attachment; filename=\"\u{E4}.pdf\"; filename*=UTF-8''%C3%BC.pdf", "ü.pdf"
        ),
        named("utf8 without a hyphen", "attachment; filename*=utf8''%C3%A4.pdf", "ä.pdf"),
        named("UTF8 in quotes", "attachment; filename*=\"UTF8''%C3%A4.pdf\"", "ä.pdf"),
        named("utf_8", "attachment; filename*=utf_8''%C3%A4.pdf", "ä.pdf"),
        named("ISO-8859-1", "attachment; filename*=ISO-8859-1''%A3%20rates.pdf", "£ rates.pdf"),
        named("ISO-8859-1 that is Windows-1252", "attachment; filename*=iso-8859-1''%80.pdf", "€.pdf"),
        named("windows-1252", "attachment; filename*=windows-1252''%80.pdf", "€.pdf"),
        named("latin1", "attachment; filename*=latin1''%E4.pdf", "ä.pdf"),
        named("raw Latin-1 in the extended form", "attachment; filename*=UTF-8''foo-\u{E4}.pdf", "foo-ä.pdf"),
        named("extended, but not UTF-8", "attachment; filename=plain.pdf; filename*=UTF-8''%E4.pdf", "plain.pdf"),
        named("an unknown charset", "attachment; filename=plain.pdf; filename*=klingon''%E4.pdf", "plain.pdf"),
        named("no type", "filename=\"a.pdf\"", "a.pdf"),
        named("spaces without quotes", "attachment; filename=a b c.pdf", "a b c.pdf"),
        named("a quote that never ends", "attachment; filename=\"a.pdf", "a.pdf"),
        named("a path", "attachment; filename=\"C:\\\\docs\\\\a.pdf\"", "a.pdf"),
        named("dots in front", "attachment; filename=\"../../a.pdf\"", "a.pdf"),
        named("a control byte", "attachment; filename=\"a\u{1}b.pdf\"", "a b.pdf"),
        named("capitals", "ATTACHMENT; FILENAME=\"a.pdf\"", "a.pdf"),
        named(
            "the header twice", "attachment; filename=\"a.pdf\"\r\nContent-Disposition: attachment; filename=\"a.pdf\"",
            "a.pdf"),
        named("folded", "attachment;\r\n filename=\"a.pdf\"", "a.pdf"),
        named("folded, in Latin-1", "attachment;\r\n\tfilename=\"\u{E4}.pdf\"", "ä.pdf"),
        url("Latin-1 in a URL", "/foo-%E4.html", "foo-ä.html"),
        url("UTF-8 in a URL", "/foo-%C3%A4.html", "foo-ä.html"),
        url("a currency sign in a URL", "/%A3%20rates.pdf", "£ rates.pdf"),
        url("half of a character in a URL", "/a%C3.pdf", "aÃ.pdf"),
    ]
}

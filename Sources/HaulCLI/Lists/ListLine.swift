import HaulCore

/// What one line of an input list says.
///
///     https://host/file<TAB>https://mirror/file     a download and its mirrors
///       out=name                                    an option of the download above it
///     {"url": "https://host/file", "output": "x"}   a download with all its options
///     # a comment
package enum ListLine: Hashable, Sendable {
    /// A blank line or a comment.
    case nothing
    /// The URLs of one file; never empty.
    case urls([String])
    /// An option of the download above it.
    case option(ListOption)
    /// A download and its options on one line.
    case object(urls: [String], [ListOption])
    /// Meant as an option, and none; what it was to say of the download above it is not known.
    case badOption(String)
    /// None of them; the message says what would be right.
    case bad(String)

    /// Reads a line, whatever it holds.
    ///
    /// Blanks around a URL, a carriage return at the end and a byte order mark are no part of it.
    package init(_ line: LineSplitter.Line) {
        switch line {
        case .text(let text): self.init(text)
        case .notText(let isIndented):
            let message = "the line is not UTF-8: convert the list (iconv); in a URL, write %XX for the byte"
            self = isIndented ? .badOption(message) : .bad(message)
        case .tooLong:
            self = .bad("the line is longer than \(LineSplitter.maxLine) bytes: write one download per line")
        }
    }

    private init(_ text: String) {
        let content = Self.trimmed(text.unicodeScalars[...])
        guard let first = content.first, first != "#" else {
            self = .nothing
            return
        }
        let isIndented = text.unicodeScalars.first.map { $0 == " " || $0 == "\t" } ?? false
        if first == "<" {
            self = .bad("this is XML, not a list: for a Metalink write --metalink FILE")
        } else if first == "{" {
            self = ListObject.read(String(content))
        } else if isIndented, let option = Self.option(content) {
            self = .option(option)
        } else if isIndented, !String(content).contains(bytes: "://") {
            // Not repeated: it may be a header that lacks its name, and so a credential.
            self = .badOption("an indented line is an option of the URL above it: write name=value")
        } else {
            let content = Self.withoutComment(content)
            guard Substring(content).utf8.contains(UInt8(ascii: "\t")) else {
                self = .urls([String(content)])
                return
            }
            self = .urls(content.split(separator: "\t").map { String(Self.trimmed($0)) }.filter { !$0.isEmpty })
        }
    }

    /// `name=value`, the name of lower-case letters and dashes.
    private static func option(_ content: Substring.UnicodeScalarView) -> ListOption? {
        guard let sign = content.firstIndex(of: "=") else { return nil }
        let name = trimmed(content[..<sign])
        guard !name.isEmpty, name.allSatisfy({ ("a"..."z").contains($0) || $0 == "-" }) else { return nil }
        return ListOption(String(name), String(trimmed(content[content.index(after: sign)...])))
    }

    /// Returns a line of URLs without a comment at its end: `#` after a blank, since a URL contains no blank.
    private static func withoutComment(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let mark = text.indices.first { index in
            text[index] == "#" && index > text.startIndex && [" ", "\t"].contains(text[text.index(before: index)])
        }
        return mark.map { trimmed(text[..<$0]) } ?? text
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let isBlank = { (scalar: Unicode.Scalar) in
            scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\u{FEFF}"
        }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return text[text.startIndex..<text.startIndex] }
        return text[first...last]
    }
}

/// An option of one download in a list: its name and its value.
package struct ListOption: Hashable, Sendable {
    /// The name, such as `out`.
    package let name: String
    /// The value; it may be a credential, and is never repeated in a message.
    package let value: String
    /// The number of its line; nil if it is in the line of its download.
    package var line: Int?

    /// Creates an option.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The name as on the command line: `limitRate` is `limit-rate`, too.
    var written: String {
        var words = ""
        for scalar in name.unicodeScalars {
            if ("A"..."Z").contains(scalar) { words += "-" }
            words += scalar.properties.lowercaseMapping
        }
        return words
    }
}

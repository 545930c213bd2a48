/// Makes names of files out of what servers and URLs suggest.
///
/// Keeps the guarantee *inside the folder*.
package enum FileName {
    /// The name of a file for which nothing usable is suggested.
    package static let fallback = "download"
    /// The bytes kept free behind a name for `.part.haul` and its like.
    package static let defaultReserve = 16
    /// The most bytes that a name may have on the file systems in use (`NAME_MAX`).
    package static let maximumByteCount = 255

    /// A name that is one component of a path, shows what it is, and fits.
    ///
    /// What stands behind the last `/` or `\`; without controls, separators of lines, and format characters (bidi
    /// controls, zero-width characters, BOM); with `_` for U+FFFD and what Windows reserves (`< > : " | ? *`); no dot, dash,
    /// white space or combining mark in front, no dot or white space at the end; cut before its extension, between
    /// characters, to 255 bytes of UTF-8 less the reserve. What nothing is left of becomes `download`. A safe name
    /// stays as it is.
    ///
    /// - Parameter reserve: bytes to keep free for suffixes, 0 to 191; others count as the nearest of these.
    package static func safe(_ raw: String, reserve: Int = defaultReserve) -> String {
        cleaned(raw, reserve: reserve) ?? fallback
    }

    /// The name for a download: from the `Content-Disposition` header, else from the URL, else `download`; always safe.
    package static func suggested(contentDisposition: String?, url: SourceURL) -> String {
        contentDisposition.flatMap(ContentDisposition.fileName).flatMap { cleaned($0) }
            ?? url.lastPathComponent.flatMap { cleaned($0) } ?? fallback
    }

    /// The `n`-th other name for a file whose own is taken: `a.tar.gz` becomes `a (1).tar.gz`.
    ///
    /// It has at most `255 - defaultReserve` bytes; for that, the part before the number is cut where it must.
    package static func numbered(_ name: String, _ n: Int) -> String {
        let (stem, suffix) = split(name)
        let end = " (\(n))" + suffix
        return cut(stem, to: limit(defaultReserve) - end.utf8.count) + end
    }
}

extension FileName {
    private static func limit(_ reserve: Int) -> Int { maximumByteCount - min(max(0, reserve), 191) }

    private static func cleaned(_ raw: String, reserve: Int = defaultReserve) -> String? {
        if isPlain(raw, limit(reserve)) { return raw }
        let scalars = raw.unicodeScalars
        let component = scalars.suffix(
            from: scalars.lastIndex { $0 == "/" || $0 == "\\" }.map(scalars.index(after:)) ?? scalars.startIndex)
        var name = String.UnicodeScalarView()
        name.append(contentsOf: component.filter { !$0.isLineOrControl && !$0.isInvisible }.map(replacingReserved))
        // A mark in front would join the slash before it to one Character, and so hide it from a search.
        let front = name.drop {
            $0 == "." || $0 == "-" || $0.properties.isWhitespace || $0.properties.isGraphemeExtend
        }
        let trimmed = withoutTrailingDots(String(front))
        guard !trimmed.isEmpty else { return nil }
        guard trimmed.utf8.count > limit(reserve) else { return trimmed }
        let (stem, suffix) = split(trimmed)
        return withoutTrailingDots(cut(stem, to: limit(reserve) - suffix.utf8.count) + suffix)
    }

    /// Whether it is safe as it is, as nearly all names are: ASCII letters and digits, and a few signs between them.
    private static func isPlain(_ name: String, _ limit: Int) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, let last = bytes.last, bytes.count <= limit else { return false }
        return first.isASCIILetterOrDigit && last.isASCIILetterOrDigit
            && bytes.allSatisfy {
                $0.isASCIILetterOrDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }

    private static func replacingReserved(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "<", ">", ":", "\"", "|", "?", "*", "\u{FFFD}": "_"
        default: scalar
        }
    }

    private static func withoutTrailingDots(_ name: String) -> String {
        let scalars = name.unicodeScalars
        guard let last = scalars.lastIndex(where: { $0 != "." && !$0.properties.isWhitespace }) else { return "" }
        return String(scalars[...last])
    }

    /// Parts a name before its extension, the dot included.
    ///
    /// An extension is short and of ASCII letters and digits, or there is none; the `.tar` of a packed archive belongs
    /// to it.
    private static func split(_ name: String) -> (stem: String, suffix: String) {
        let bytes = Array(name.utf8)
        guard var dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return (name, "") }
        let letters = bytes[(dot + 1)...]
        guard (1...16).contains(letters.count), letters.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
            return (name, "")
        }
        if bytes[..<dot].asciiLowercasedText.hasSuffix(".tar"), dot > 4 { dot -= 4 }
        return (String(decoding: bytes[..<dot], as: UTF8.self), String(decoding: bytes[dot...], as: UTF8.self))
    }

    /// Cuts between characters, or, where already the first is too long, between its scalars.
    private static func cut(_ stem: String, to byteCount: Int) -> String {
        var room = byteCount
        let whole = stem.prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
        if !whole.isEmpty || stem.isEmpty { return String(whole) }
        room = byteCount
        let scalars = stem.unicodeScalars.prefix { scalar in
            room -= scalar.utf8.count
            return room >= 0
        }
        return String(scalars)
    }
}

/// Makes safe file names out of what servers and URLs suggest.
///
/// Guarantees that a file stays inside its folder.
package enum FileName {
    /// The name of a file if nothing usable is suggested.
    package static let fallback = "download"
    /// The name for the page of a folder.
    private static let folderName = "index.html"
    /// The number of bytes kept free after a name for suffixes such as `.part.haul`.
    package static let defaultReserve = 16
    /// The maximum length of a name in bytes on common file systems (`NAME_MAX`).
    package static let maximumByteCount = 255

    /// Returns a name that is a single path component, shows what it is, and is not too long.
    ///
    /// Keeps what follows the last `/` or `\`. Removes controls, line separators and format characters (bidi controls,
    /// zero-width characters, BOM); replaces U+FFFD and the characters reserved on Windows (`< > : " | ? *`) with `_`;
    /// removes dots, dashes, white space and combining marks from the front, and dots and white space from the end;
    /// shortens the name before its extension, between characters, to 255 bytes of UTF-8 minus the reserve. A name of
    /// which nothing is left becomes `download`. A safe name is unchanged.
    ///
    /// - Parameter reserve: The number of bytes to keep free for suffixes, clamped to 0...191.
    package static func safe(_ raw: String, reserve: Int = defaultReserve) -> String {
        cleaned(raw, reserve: reserve) ?? fallback
    }

    /// Returns the name for a download: from the `Content-Disposition` header, or else from the URL, or else
    /// `download`.
    ///
    /// Always safe. The page of a folder is `index.html`, as in wget.
    package static func suggested(contentDisposition: String?, url: SourceURL) -> String {
        contentDisposition.flatMap(ContentDisposition.fileName).flatMap { cleaned($0) }
            ?? url.lastPathComponent.flatMap { cleaned($0) }
            ?? (url.path.utf8.last == UInt8(ascii: "/") ? folderName : fallback)
    }

    /// Returns the `n`-th alternative for a name that is taken: `a.tar.gz` becomes `a (1).tar.gz`.
    ///
    /// The result has at most `255 - defaultReserve` bytes; the part before the number is shortened if necessary.
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
        // A leading combining mark would form one Character with the slash before it, and hide the slash from a search.
        let front = name.drop {
            $0 == "." || $0 == "-" || $0.properties.isWhitespace || $0.properties.isGraphemeExtend
        }
        let trimmed = withoutTrailingDots(String(front))
        guard !trimmed.isEmpty else { return nil }
        guard trimmed.utf8.count > limit(reserve) else { return trimmed }
        let (stem, suffix) = split(trimmed)
        return withoutTrailingDots(cut(stem, to: limit(reserve) - suffix.utf8.count) + suffix)
    }

    /// Returns true if the name is safe as it is, as nearly all names are: ASCII letters and digits, with a few signs
    /// between them.
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

    /// Splits a name before its extension; the dot belongs to the extension.
    ///
    /// An extension is 1 to 16 ASCII letters and digits; anything else counts as no extension. The `.tar` of a
    /// compressed archive belongs to the extension.
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

    /// Cuts between characters, or between scalars if the first character is already too long.
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

/// Names of files that are never web pages.
package enum BinaryName {
    /// The extensions of such names that are not text either: archives, packages, images, sound, films, documents, data.
    private static let extensions: Set<String> = [
        "zip", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "lz4", "7z", "rar", "tar", "iso", "img", "bin", "deb",
        "rpm", "apk",
        "exe", "msi", "dmg", "pkg", "appimage", "jar", "war", "whl", "gem", "crate", "nupkg", "jpg", "jpeg", "png",
        "gif", "webp",
        "avif", "heic", "tif", "tiff", "bmp", "ico", "mp3", "m4a", "aac", "flac", "ogg", "opus", "wav", "mp4", "m4v",
        "mkv", "webm",
        "avi", "mov", "mpg", "mpeg", "ts", "pdf", "epub", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods",
        "parquet", "sqlite", "gguf", "safetensors", "torrent",
    ]
    /// The extensions of names that are never web pages, but text.
    private static let ofText: Set<String> = [
        "csv", "json", "metalink", "meta4", "sha256", "sha512", "md5", "sig", "asc",
    ]

    /// Returns true if a web page saved under this name can't be the file that was meant.
    package static func isNoPage(_ name: String) -> Bool {
        pathExtension(name).map { extensions.contains($0) || ofText.contains($0) } ?? false
    }

    /// Returns true if text saved under this name can't be the file that was meant.
    package static func isNoText(_ name: String) -> Bool { pathExtension(name).map(extensions.contains) ?? false }

    private static func pathExtension(_ name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }
}

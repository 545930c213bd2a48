/// The media type of a file, by its header and by its first bytes.
package enum MediaType {
    /// The number of bytes that `detect` looks at.
    package static let detectedBytes = 64

    /// Returns the type that the first bytes show; nil if they show none.
    ///
    /// Based on the WHATWG standard for MIME sniffing, with the formats of data sets.
    package static func detect(_ bytes: some Collection<UInt8>) -> String? {
        let start = Array(bytes.prefix(detectedBytes))
        func has(_ text: String, at offset: Int = 0) -> Bool {
            start.dropFirst(offset).starts(with: text.utf8)
        }
        func has(_ prefix: [UInt8]) -> Bool { start.starts(with: prefix) }
        if has([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if has("GIF87a") || has("GIF89a") { return "image/gif" }
        if has("RIFF") {
            if has("WEBP", at: 8) { return "image/webp" }
            if has("WAVE", at: 8) { return "audio/wav" }
            if has("AVI ", at: 8) { return "video/avi" }
        }
        if has("ftyp", at: 4) {
            let brand = String(decoding: start.dropFirst(8).prefix(4), as: UTF8.self)
            return brands[brand] ?? "video/mp4"
        }
        if has("BM"), start.count >= 14, start[6...9].allSatisfy({ $0 == 0 }) { return "image/bmp" }
        if has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A]) { return "image/tiff" }
        if has([0, 0, 1, 0]) { return "image/x-icon" }
        if has([0xFF, 0x0A]) || has([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]) { return "image/jxl" }
        if has("%PDF-") { return "application/pdf" }
        if has([0x1A, 0x45, 0xDF, 0xA3]) { return "video/webm" }
        if has("OggS") { return "audio/ogg" }
        if has("fLaC") { return "audio/flac" }
        if has("ID3") || has([0xFF, 0xFB]) || has([0xFF, 0xF3]) { return "audio/mpeg" }
        if has([0x50, 0x4B, 3, 4]) { return "application/zip" }
        if has([0x1F, 0x8B]) { return "application/gzip" }
        return markup(start)
    }

    private static let brands = [
        "avif": "image/avif", "avis": "image/avif", "heic": "image/heic", "heix": "image/heic", "mif1": "image/heif",
        "M4A ": "audio/mp4", "qt  ": "video/quicktime",
    ]

    private static func markup(_ start: [UInt8]) -> String? {
        let text = start.drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
        let words = String(decoding: text, as: UTF8.self).lowercased()
        if ["<!doctype html", "<html", "<head", "<body", "<script"].contains(where: words.hasPrefix) {
            return "text/html"
        }
        if words.hasPrefix("<svg") || words.hasPrefix("<?xml") && words.contains("<svg") { return "image/svg+xml" }
        return nil
    }

    /// Returns the type in a `Content-Type` value, in lower case and without parameters; nil for none, and for types that
    /// mean that it is unknown.
    package static func declared(_ value: String?) -> String? {
        guard let value else { return nil }
        let type = String(String(value.prefix { $0 != ";" }).trimmingSpaces).lowercased()
        let isUnknown = ["", "application/octet-stream", "binary/octet-stream", "application/unknown"].contains(type)
        guard type.contains("/"), !isUnknown else { return nil }
        return type
    }

    /// Returns the file name extension of a type, of a URL's path, or `bin`.
    package static func fileExtension(_ type: String?, path: String) -> String {
        if let type, let known = extensions[type] { return known }
        let name = path.split(separator: "/").last ?? ""
        if let dot = name.lastIndex(of: ".") {
            let ending = name[name.index(after: dot)...].lowercased()
            if (1...8).contains(ending.utf8.count), ending.utf8.allSatisfy(\.isLetterOrDigit) { return safe(ending) }
        }
        if let type, let slash = type.firstIndex(of: "/") {
            let sub = type[type.index(after: slash)...]
            if (1...8).contains(sub.utf8.count), sub.utf8.allSatisfy(\.isLetterOrDigit) { return safe(String(sub)) }
        }
        return "bin"
    }

    /// `KEY.json` is the row's own.
    private static func safe(_ ending: String) -> String { ending == "json" ? "content.json" : ending }

    private static let extensions = [
        "image/jpeg": "jpg", "image/jpg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp",
        "image/avif": "avif", "image/heic": "heic", "image/heif": "heif", "image/bmp": "bmp", "image/tiff": "tiff",
        "image/x-icon": "ico", "image/jxl": "jxl", "image/svg+xml": "svg", "application/pdf": "pdf",
        "video/webm": "webm", "video/mp4": "mp4", "video/quicktime": "mov", "video/avi": "avi", "audio/ogg": "ogg",
        "audio/flac": "flac", "audio/mpeg": "mp3", "audio/wav": "wav", "audio/mp4": "m4a", "application/zip": "zip",
        "application/gzip": "gz", "text/html": "html", "text/plain": "txt", "application/json": "content.json",
    ]
}

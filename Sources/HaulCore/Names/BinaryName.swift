/// Names of files that are never web pages.
package enum BinaryName {
    /// The extensions of such names: archives, packages, images, sound, films, documents, data, checksums.
    private static let extensions: Set<String> = [
        "zip", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "lz4", "7z", "rar", "tar", "iso", "img", "bin", "deb",
        "rpm", "apk",
        "exe", "msi", "dmg", "pkg", "appimage", "jar", "war", "whl", "gem", "crate", "nupkg", "jpg", "jpeg", "png",
        "gif", "webp",
        "avif", "heic", "tif", "tiff", "bmp", "ico", "mp3", "m4a", "aac", "flac", "ogg", "opus", "wav", "mp4", "m4v",
        "mkv", "webm",
        "avi", "mov", "mpg", "mpeg", "ts", "pdf", "epub", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods",
        "csv", "json",
        "parquet", "sqlite", "gguf", "safetensors", "torrent", "metalink", "meta4", "sha256", "sha512", "md5", "sig",
        "asc",
    ]

    /// Returns true if a web page saved under this name can't be the file that was meant.
    package static func isKnown(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return extensions.contains(name[name.index(after: dot)...].lowercased())
    }
}

extension DownloadSpec {
    /// What identifies it where the caller gives no key: canonical URL without credentials, range, destination.
    ///
    /// `https://example.org/a.iso file:/home/a.iso`, or with a range `… bytes:0-100 folder:/home`, where the second
    /// offset is the one behind the last byte. A canonical URL holds no space, so no two specs share a key by accident.
    package var canonicalKey: String { canonicalKey(of: try? SourceURL(parsing: source.url)) }

    /// The same, for a URL that was parsed already; nil where it can't be parsed, and then it stands as it was written.
    package func canonicalKey(of source: SourceURL?) -> String {
        var key = source?.string ?? withoutSecrets().spec.source.url
        if let range = self.source.range { key += " bytes:\(range.lowerBound)-\(range.upperBound)" }
        switch placement.destination {
        case .file(let path): key += " file:" + path
        case .folder(let path): key += " folder:" + path
        case .hashed(let folder): key += " hashed:" + folder
        }
        return key
    }
}

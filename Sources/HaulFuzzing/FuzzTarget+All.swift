extension FuzzTarget {
    /// Every target; each has a folder of its name in `Tests/Corpora`.
    package static let all: [FuzzTarget] = [
        FuzzTarget("checksum", text: ArgumentChecks.checksum),
        FuzzTarget("content-disposition", text: NameChecks.contentDisposition),
        FuzzTarget("content-range", text: HeaderChecks.contentRange),
        FuzzTarget("etag", texts: HeaderChecks.entityTags),
        FuzzTarget("file-name", text: NameChecks.fileName),
        FuzzTarget("header-argument", text: ArgumentChecks.header),
        FuzzTarget("http-date", bytes: HeaderChecks.date),
        FuzzTarget("input-list", bytes: ListChecks.lines),
        FuzzTarget("journal", bytes: JournalChecks.file),
        FuzzTarget("journal-fields", bytes: JournalChecks.fields),
        FuzzTarget("numbers", text: ArgumentChecks.numbers),
        FuzzTarget("redirect", texts: URLChecks.redirect),
        FuzzTarget("retry-after", text: HeaderChecks.retryAfter),
        FuzzTarget("terminal-text", text: TerminalChecks.text),
        FuzzTarget("url", text: URLChecks.url),
        FuzzTarget("url-secrets", texts: URLChecks.secrets),
    ]
}

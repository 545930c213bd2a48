package import HaulCore

/// One download of this run, as it is named on the screen and in events.
package struct GetJob: Hashable, Sendable {
    /// Its number: 1, 2, … in the order of the command line and the list.
    package let id: Int
    /// The line in the list, from 1; nil for a download from the command line.
    package let line: Int?
    /// The list as it was named on the command line, or nil.
    package let list: String?
    /// The URL.
    package let url: SourceURL
    /// The name shown until the file's name is known.
    package let name: String
    /// Differs for downloads of one URL that have different files; nil for the one without options of its own.
    package let variant: Int?

    /// Makes the job of a URL.
    ///
    /// - Parameters:
    ///   - path: The path of the file, if the user or an earlier run has chosen it.
    ///   - variant: Differs for downloads of one URL that have different files.
    package init(
        id: Int, url: SourceURL, line: Int? = nil, list: String? = nil, path: String? = nil, variant: Int? = nil
    ) {
        self.id = id
        self.line = line
        self.list = list
        self.url = url
        self.variant = variant
        name = path.map(Self.name) ?? TerminalText.printable(url.lastPathComponent ?? url.host)
    }

    /// Equal for downloads of one run that have the same file.
    var content: Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(variant)
        return hasher.finalize()
    }

    /// The URL without user name and password, and without the values in its query.
    package var shownURL: String { url.redacted }

    /// The last part of a path, fit for a terminal.
    package static func name(ofPath path: String) -> String {
        TerminalText.printable(path.split(separator: "/").last.map(String.init) ?? path)
    }
}

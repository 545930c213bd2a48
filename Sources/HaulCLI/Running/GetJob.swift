package import HaulCore

/// One download of this run, as the screen and the events name it.
package struct GetJob: Hashable, Sendable {
    /// Its number: 1, 2, … in the order of the command line and the list.
    package let id: Int
    /// The line of the list that it stands in, from 1; nil: the command line.
    package let line: Int?
    /// The list as it was named on the command line, or nil.
    package let list: String?
    /// Where it is.
    package let url: SourceURL
    /// What it is called until the server has named the file.
    package let name: String

    /// Makes the job of a URL.
    package init(id: Int, url: SourceURL, line: Int? = nil, list: String? = nil) {
        self.id = id
        self.line = line
        self.list = list
        self.url = url
        name = TerminalText.printable(url.lastPathComponent ?? url.host)
    }

    /// The URL without user name and password, and without the values in its query.
    package var shownURL: String { url.redacted }

    /// The last part of a path, fit for a terminal.
    package static func name(ofPath path: String) -> String {
        TerminalText.printable(path.split(separator: "/").last.map(String.init) ?? path)
    }
}

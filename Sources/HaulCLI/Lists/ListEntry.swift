import HaulCore

/// What one line of an input list means.
package enum ListEntry: Hashable, Sendable {
    /// A blank line or a comment.
    case nothing
    /// A URL to download.
    case url(String)
    /// Neither; the message says what would be right.
    case bad(String)

    /// Reads a line.
    ///
    /// Blanks around the URL, a carriage return at its end and a byte order mark are no part of it.
    package init(_ line: LineSplitter.Line) {
        guard case .text(let text) = line else {
            self = .bad("the line is longer than \(LineSplitter.longestLine) bytes: write one URL a line")
            return
        }
        let isBlank = { (scalar: Unicode.Scalar) in
            scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\u{FEFF}"
        }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) }),
            scalars[first] != "#"
        else {
            self = .nothing
            return
        }
        let url = String(scalars[first...last])
        do throws(DownloadError) {
            _ = try SourceURL(parsing: url)
            self = .url(url)
        } catch {
            self = .bad(error.message)
        }
    }
}

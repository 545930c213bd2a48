import HaulCLI
import HaulCore

/// What must hold of input lists.
enum ListChecks {
    /// Lines: the same however the bytes arrive; each is a URL that can be parsed, a comment, or a message fit to print.
    static func lines(_ bytes: [UInt8]) throws(FuzzFinding) {
        let whole = lines(of: bytes, chunk: max(1, bytes.count))
        try claim(lines(of: bytes, chunk: 1) == whole, "lines do not depend on how they arrive, byte by byte")
        try claim(lines(of: bytes, chunk: 7) == whole, "lines do not depend on how they arrive, in sevens")
        let ends = bytes.count { $0 == UInt8(ascii: "\n") }
        let unended = bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? 0 : 1
        try claim(whole.count == ends + unended, "\(ends) line ends make \(whole.count) lines")
        for line in whole { try claimEntry(ListEntry(line)) }
    }

    private static func claimEntry(_ entry: ListEntry) throws(FuzzFinding) {
        switch entry {
        case .nothing: return
        case .url(let url): try claim((try? SourceURL(parsing: url)) != nil, "a URL of a list can be parsed: \(url)")
        case .bad(let message):
            try claimSameBytes(TerminalText.printable(message), message, "a message can be printed")
        }
    }

    private static func lines(of bytes: [UInt8], chunk: Int) -> [LineSplitter.Line] {
        var splitter = LineSplitter()
        var lines: [LineSplitter.Line] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            splitter.append(Array(bytes[start..<min(start + chunk, bytes.count)]))
            while let line = splitter.next() { lines.append(line) }
        }
        splitter.append([])
        while let line = splitter.next() { lines.append(line) }
        return lines
    }
}

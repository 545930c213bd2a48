import HaulCLI
import HaulCore

/// Properties of input lists.
enum ListChecks {
    /// Checks lines: the result does not depend on chunking; downloads are valid for `haul get`, or rejected as invalid
    /// requests.
    static func lines(_ bytes: [UInt8]) throws(FuzzFinding) {
        let whole = lines(of: bytes, chunk: max(1, bytes.count))
        try claim(lines(of: bytes, chunk: 1) == whole, "lines do not depend on how they arrive, byte by byte")
        try claim(lines(of: bytes, chunk: 7) == whole, "lines do not depend on how they arrive, in sevens")
        let ends = bytes.count { $0 == UInt8(ascii: "\n") }
        let unended = bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? 0 : 1
        try claim(whole.count == ends + unended, "\(ends) line ends make \(whole.count) lines")
        var assembler = ListAssembler()
        var elements = whole.enumerated().flatMap { assembler.take($0.element, number: $0.offset + 1) }
        elements += assembler.finish()
        try claim(!assembler.isPending, "nothing waits at the end")
        for element in elements { try claimElement(element, lines: whole.count) }
    }

    private static func claimElement(_ element: ListAssembler.Element, lines: Int) throws(FuzzFinding) {
        switch element {
        case .bad(let line, _): try claim((1...lines).contains(line), "line \(line) of \(lines)")
        case .entry(let entry):
            try claim(
                (1...lines).contains(entry.line) && !entry.urls.isEmpty, "an entry has a line and a URL: \(entry)")
            do throws(DownloadError) {
                _ = try entry.spec(DownloadSpec(url: "", destination: .folder(path: "/f")))
            } catch {
                try claim(error.code == .invalidRequest, "an entry is refused as a request: \(error)")
            }
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

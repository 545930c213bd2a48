/// The head of a request, checked only for its basic syntax.
struct ReceivedHead: Sendable, Equatable {
    let method: String
    let target: String
    let version: String
    let headers: [HeaderLine]

    /// Reads a head without its empty line; nil if it is invalid.
    init?(_ bytes: some Sequence<UInt8>) {
        let lines = String(decoding: Array(bytes), as: UTF8.self)
            .split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
        guard let first = lines.first else { return nil }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), !words[0].isEmpty, !words[1].isEmpty else { return nil }
        var headers: [HeaderLine] = []
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers.append(HeaderLine(String(line[..<colon]), String(line[line.index(after: colon)...]).trimmed))
        }
        method = String(words[0])
        target = String(words[1])
        version = String(words[2])
        self.headers = headers
    }

    /// The length of the body in bytes, from Content-Length.
    var bodyLength: Int64 { headers["Content-Length"].flatMap { Int64($0) } ?? 0 }

    /// Returns the index after the empty line that ends a head.
    static func end(in bytes: [UInt8]) -> Int? {
        var previous: UInt8 = 0
        var lineLength = 0
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A {
                if index > 0, lineLength - (previous == 0x0D ? 1 : 0) == 0 { return index + 1 }
                lineLength = 0
            } else {
                lineLength += 1
            }
            previous = byte
        }
        return nil
    }
}

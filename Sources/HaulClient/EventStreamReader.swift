/// Parses the text of an event stream (HTML, section 9.2.6) incrementally.
package struct EventStreamReader: Sendable {
    /// One event.
    package struct Message: Hashable, Sendable {
        /// The name of the event; `message` if it has none.
        package var event: String
        /// The data of the event, with its lines joined.
        package var data: String
        /// The number of the last event so far that had one.
        package var id: String?
    }

    private var line: [UInt8] = []
    private var endedInReturn = false
    private var event = ""
    private var data: [String] = []
    private var id: String?

    /// The maximum length of a line; the rest of a longer one is dropped.
    private static let maxLine = 16 << 20

    /// Creates a reader.
    package init() {}

    /// Processes the next bytes, and returns the events that are complete.
    package mutating func read(_ bytes: some Sequence<UInt8>) -> [Message] {
        var found: [Message] = []
        for byte in bytes {
            // A line ends in LF, CR, or both.
            if byte == 10, endedInReturn {
                endedInReturn = false
                continue
            }
            endedInReturn = byte == 13
            guard byte == 10 || byte == 13 else {
                if line.count < Self.maxLine { line.append(byte) }
                continue
            }
            if let message = endLine() { found.append(message) }
        }
        return found
    }

    private mutating func endLine() -> Message? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        let text = String(decoding: line, as: UTF8.self)
        let colon = text.firstIndex(of: ":")
        var value = colon.map { text[text.index(after: $0)...] } ?? ""
        if value.first == " " { value.removeFirst() }
        switch text[..<(colon ?? text.endIndex)] {
        case "event": event = String(value)
        case "data": data.append(String(value))
        case "id": if !value.utf8.contains(0) { id = String(value) }
        case _: break
        }
        return nil
    }

    private mutating func dispatch() -> Message? {
        defer { (event, data) = ("", []) }
        guard !data.isEmpty else { return nil }
        return Message(event: event.isEmpty ? "message" : event, data: data.joined(separator: "\n"), id: id)
    }
}

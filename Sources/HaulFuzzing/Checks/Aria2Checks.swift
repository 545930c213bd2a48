import HaulAria2
import HaulCore

/// Properties of input from aria2's clients.
enum Aria2Checks {
    /// Checks a JSON text: a parsed value can be written and read again.
    static func json(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let value = read(bytes) else { return }
        try claim(read(value.bytes) == value, "what was written is read again: \(value.line)")
        try claim(!value.bytes.contains(UInt8(ascii: "\n")), "it is on one line")
        // Options of a call are values, or are rejected.
        if let members = value.members { _ = try? Aria2Options(members, .download) }
    }

    /// Checks an input file: parsed entries can be written and read again, except for ambiguous ones.
    static func list(_ bytes: [UInt8]) throws(FuzzFinding) {
        let list = Aria2List(parsing: bytes)
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        for entry in list.entries {
            try claim(
                !entry.uris.isEmpty && (1...lines).contains(entry.line), "an entry has a line and a URI: \(entry)")
            _ = try? Aria2Options(entry.options, .download)
        }
        let once = Aria2List(parsing: Array(list.text.utf8))
        try claim(once.text == list.text, "written once more it is the same")
    }

    /// Checks a pattern of URIs: at least one result, and at most the maximum.
    static func pattern(_ text: String) throws(FuzzFinding) {
        guard let uris = URIPattern.expand(text) else { return }
        try claim((1...URIPattern.maximum).contains(uris.count), "\(uris.count) URIs of \(text)")
    }

    private static func read(_ bytes: [UInt8]) -> JSON? {
        do throws(JSONReader.Failure) { return try JSONReader.read(bytes) } catch { return nil }
    }
}

import HaulAria2
import HaulCore

/// What must hold of what aria2's clients send.
enum Aria2Checks {
    /// A JSON text: what is read is written so that it is read again.
    static func json(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let value = read(bytes) else { return }
        try claim(read(value.bytes) == value, "what was written is read again: \(value.line)")
        try claim(!value.bytes.contains(UInt8(ascii: "\n")), "it is on one line")
        // Options of a call are values or a refusal.
        if let members = value.members { _ = try? Aria2Options(members, .download) }
    }

    /// An input file: what is read is written so that it is read again, but for what could be taken for something else.
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

    /// A pattern of URIs: some, and no more than may be.
    static func pattern(_ text: String) throws(FuzzFinding) {
        guard let uris = URIPattern.expand(text) else { return }
        try claim((1...URIPattern.maximum).contains(uris.count), "\(uris.count) URIs of \(text)")
    }

    private static func read(_ bytes: [UInt8]) -> JSON? {
        do throws(JSONReader.Failure) { return try JSONReader.read(bytes) } catch { return nil }
    }
}

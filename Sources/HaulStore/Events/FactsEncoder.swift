import HaulCore

/// Encodes the facts of starts and finishes, with the same result as `StoredJSON.text`.
///
/// Each small file has one of both, and `JSONEncoder` needs most of the time in which they are recorded: see
/// docs/decisions/0030.
struct FactsEncoder {
    private var last: (verification: Verification, text: String)?

    /// Returns the JSON of the facts of a finish.
    mutating func text(_ facts: FinishFacts) throws -> String {
        guard let path = Self.quoted(facts.path), let seconds = Self.number(facts.seconds), facts.verified == nil else {
            return try StoredJSON.text(facts)
        }
        let verification = try text(facts.verification)
        let file = facts.file.map { "\"file\":\(Self.text($0))," } ?? ""
        let modified = facts.fileModified.map { "\"fileModified\":\($0)," } ?? ""
        return """
            {\(file)\(modified)"kept":\(facts.kept),"path":\(path),"seconds":\(seconds),\
            "sessionBytes":\(facts.sessionBytes),"totalBytes":\(facts.totalBytes),"verification":\(verification)}
            """
    }

    /// Returns the JSON of the facts of a start.
    static func text(_ facts: StartFacts) throws -> String {
        guard let path = quoted(facts.path) else { return try StoredJSON.text(facts) }
        let partial = facts.partial.map { ",\"partial\":\(text($0))" } ?? ""
        let total = facts.totalBytes.map { ",\"totalBytes\":\($0)" } ?? ""
        return """
            {"insecure":\(facts.insecure)\(partial),"path":\(path),"resumedBytes":\(facts.resumedBytes)\(total)}
            """
    }

    /// Returns the JSON of a kind of event.
    mutating func text(_ kind: DownloadEvent.Kind) throws -> String {
        switch kind {
        case .started(let facts): "{\"started\":{\"_0\":\(try Self.text(facts))}}"
        case .finished(let facts): "{\"finished\":{\"_0\":\(try text(facts))}}"
        case .snapshot, .progress, .added, .waiting, .notice, .paused, .resumed, .sourceReplaced, .failed, .cancelled,
            .removed, .changed:
            try StoredJSON.text(kind)
        }
    }

    private mutating func text(_ verification: Verification) throws -> String {
        if let last, last.verification == verification { return last.text }
        let text = try StoredJSON.text(verification)
        last = (verification, text)
        return text
    }

    private static func text(_ file: FileIdentity) -> String {
        let born = file.born.map { "\"born\":\($0)," } ?? ""
        return "{\(born)\"device\":\(file.device),\"inode\":\(file.inode)}"
    }

    /// Returns a text in quotation marks; nil if a character must be escaped.
    private static func quoted(_ text: String) -> String? {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != 0x7F }
            ? "\"\(text)\"" : nil
    }

    /// Returns a number as `JSONEncoder` writes it; nil if it has no JSON.
    private static func number(_ number: Double) -> String? {
        guard number.isFinite else { return nil }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

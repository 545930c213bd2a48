import GRDB
import HaulCore

/// Searches the list for URLs that are the same as given ones, however they are written.
struct SourceSearch {
    private let texts: Set<String>
    private let canonical: Set<String>
    private let hosts: Set<String>

    /// Prepares a search for these URLs.
    init(_ urls: Set<String>) {
        let sources = urls.map { try? SourceURL(parsing: $0) }
        canonical = Set(sources.compactMap { $0?.string })
        hosts = Set(sources.map { $0?.host ?? "" })
        // A record whose URL cannot be parsed has an empty host, and is found by its text.
        texts = urls.union(canonical)
    }

    /// Returns the identities of the matching records, in no order.
    func ids(_ database: Database) throws -> [Int64] {
        let rows = try BoundStatement(
            database,
            "SELECT id, url FROM download WHERE host IN (SELECT number FROM host WHERE name IN (SELECT value FROM json_each(?)))"
        )
        defer { rows.reset() }
        rows.bind(try StoredJSON.text(hosts.sorted()), 1)
        var ids: [Int64] = []
        while try rows.step() {
            if matches(rows.text(1)) { ids.append(rows.integer(0)) }
        }
        return ids
    }

    private func matches(_ url: String) -> Bool {
        if texts.contains(url) { return true }
        guard !Self.isCanonical(url), let source = try? SourceURL(parsing: url) else { return false }
        return canonical.contains(source.string)
    }

    /// Returns true if a URL is certainly in canonical form, so that it need not be parsed.
    static func isCanonical(_ url: String) -> Bool {
        let bytes = url.utf8
        guard let start = ["https://", "http://"].first(where: url.hasPrefix)?.utf8.count else { return false }
        var isHost = true
        var last: UInt8 = 0
        for byte in bytes.dropFirst(start) {
            switch byte {
            case UInt8(ascii: "/"): isHost = false
            // Letters in upper case matter in the host only, and dots after a slash in the path only.
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): if isHost { return false }
            case UInt8(ascii: "."): if last == UInt8(ascii: "/") { return false }
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                break
            default: return false
            }
            last = byte
        }
        return !isHost
    }
}

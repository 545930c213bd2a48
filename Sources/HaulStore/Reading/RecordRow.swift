import GRDB
import HaulCore

/// A row of `download` on its way to a record.
///
/// A row that can't be understood takes no other along: it becomes a record that failed and says why.
struct RecordRow {
    private let row: Row

    /// The columns that a row must have.
    ///
    /// What stands in other tables comes by scalar subqueries, which keep the query on the one index that gives its
    /// order.
    static let columns = """
        id, position, state, priority, host, not_before, starts_at_once, starts_paused, lacks_secrets, \
        source_replaced, \
        added, changed, total, done, destination_kind, destination, url, key_text, checksum, range_start, range_end, \
        place, device, inode, pause, hold, error, finish, kept, label, options, \
        (SELECT json FROM options WHERE number = download.options) AS options_json, \
        (SELECT name FROM label WHERE number = download.label) AS label_name
        """

    /// Takes a row with these columns.
    init(_ row: Row) { self.row = row }

    /// The record of the row.
    func record(_ database: Database) throws -> StoredRecord {
        let id: Int64 = row["id"]
        let tags = try TagRows.read(of: id, database)
        do {
            return record(try spec(tags), try status)
        } catch {
            return record(plainSpec(tags), .failed(Self.unreadable(error)))
        }
    }

    private func record(_ spec: DownloadSpec, _ status: StoredStatus) -> StoredRecord {
        StoredRecord(
            id: DownloadID(rawValue: row["id"]), position: row["position"],
            key: row["key_text"] ?? spec.canonicalKey, spec: spec, status: status, place: row["place"],
            totalBytes: row["total"], doneBytes: row["done"], fileID: fileID, added: row["added"],
            changed: row["changed"], host: row["host"], sourceReplaced: row["source_replaced"],
            lacksSecrets: row["lacks_secrets"])
    }

    private func spec(_ tags: Set<String>) throws -> DownloadSpec {
        guard let options: String = row["options_json"] else { throw Unreadable(what: "options") }
        var spec: DownloadSpec = try StoredJSON.value(options)
        let plain = plainSpec(tags)
        spec.url = plain.url
        spec.destination = plain.destination
        spec.tags = tags
        spec.key = plain.key
        spec.range = plain.range
        spec.group = row["label_name"]
        spec.priority = row["priority"]
        spec.notBefore = (row["not_before"] as Int64?).map(StoredTime.date)
        spec.startsAtOnce = row["starts_at_once"]
        spec.startsPaused = row["starts_paused"]
        if let text: String = row["checksum"] { spec.checksum = try Checksum(parsing: text) }
        return spec
    }

    /// What of the spec needs no decoding.
    private func plainSpec(_ tags: Set<String>) -> DownloadSpec {
        var spec = DownloadSpec(url: row["url"], destination: destination)
        spec.key = row["key_text"]
        spec.tags = tags
        if let start: Int64 = row["range_start"], let end: Int64 = row["range_end"] {
            spec.range = ByteRange(from: start, to: end)
        }
        return spec
    }

    private var destination: Destination {
        let path: String = row["destination"]
        let kind: Int64 = row["destination_kind"]
        return kind == 0 ? .file(path: path) : kind == 1 ? .folder(path: path) : .hashed(folder: path)
    }

    private var fileID: FileIdentity? {
        guard let device: Int64 = row["device"], let inode: Int64 = row["inode"] else { return nil }
        return FileIdentity(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode))
    }

    private var status: StoredStatus {
        get throws {
            guard let state = StoredState(number: row["state"]) else { throw Unreadable(what: "state") }
            switch state {
            case .queued: return .queued
            case .active: return .active
            case .paused: return .paused(try reason("pause"))
            case .held where row["hold"] == "credentials": return .held(.credentials)
            case .held: return .held(.linkExpired(try json("error")))
            case .finished: return .finished(try json("finish"))
            case .failed: return .failed(try json("error"))
            case .cancelled: return .cancelled(keptPartial: row["kept"] ?? false)
            }
        }
    }

    private func reason(_ column: String) throws -> PauseReason {
        guard let text: String = row[column], let reason = PauseReason(rawValue: text) else {
            throw Unreadable(what: column)
        }
        return reason
    }

    private func json<Value: Decodable>(_ column: String) throws -> Value {
        guard let text: String = row[column] else { throw Unreadable(what: column) }
        return try StoredJSON.value(text)
    }

    private struct Unreadable: Error { let what: String }

    private static func unreadable(_ error: any Error) -> DownloadError {
        let cause = (error as? Unreadable).map { "no \($0.what)" } ?? "\(type(of: error))"
        return DownloadError(
            .catalogueFailed, "its record in the catalogue can't be read: remove it, and add the download again",
            cause: cause)
    }
}

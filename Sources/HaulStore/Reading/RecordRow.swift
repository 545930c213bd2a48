import GRDB
import HaulCore

/// A row with the columns of `RecordColumn`, from which a record is created.
struct RecordRow {
    /// The error of a column with a missing or unknown value.
    struct Unreadable: Error { let column: RecordColumn }

    private let row: Row

    /// Wraps a row, which may be the current one of a cursor.
    init(_ row: Row) { self.row = row }

    /// Returns the value of a column that is never NULL.
    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(column: RecordColumn) -> Value {
        row[column.rawValue]
    }

    /// Returns the value of a column that may be NULL.
    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(ifAny column: RecordColumn) -> Value? {
        row[column.rawValue]
    }

    /// The id of the download.
    var id: Int64 { self[.id] }

    /// Returns the record, with the spec and the status decoded before.
    func record(_ spec: DownloadSpec, _ status: StoredStatus) -> StoredRecord {
        StoredRecord(
            id: DownloadID(rawValue: id), position: self[.position], key: self[ifAny: .keyText] ?? spec.canonicalKey,
            spec: spec, status: status, targetPath: self[ifAny: .targetPath], totalBytes: self[ifAny: .total],
            doneBytes: self[.done],
            fileID: fileID, lastFinish: lastFinish(status), added: self[.added], changed: self[.changed],
            host: self[.host],
            replacedSources: replacedSources, lacksSecrets: self[.lacksSecrets], hasBegun: self[.hasBegun])
    }

    private var replacedSources: [String] {
        let text: String? = self[ifAny: .replacedSources]
        return text.map { $0.split(separator: " ").map(String.init) } ?? []
    }

    /// Returns the spec: the shared options, and the record's own columns.
    func spec(_ options: DownloadSpec, _ tags: Set<String>) throws -> DownloadSpec {
        var spec = plain(options, tags)
        spec.group = self[ifAny: .group]
        spec.priority = self[.priority]
        spec.notBefore = (self[ifAny: .notBefore] as Int64?).map(StoredTime.date)
        spec.startsAtOnce = self[.startsAtOnce]
        spec.startsPaused = self[.startsPaused]
        if let after: String = self[ifAny: .after] {
            spec.after = Set(after.split(separator: ",").compactMap { Int64($0).map(DownloadID.init(rawValue:)) })
        }
        if let text: String = self[ifAny: .checksum] { spec.checksum = try Checksum(parsing: text) }
        return spec
    }

    /// Returns the part of the spec that needs no decoding.
    func plainSpec(_ tags: Set<String>) -> DownloadSpec {
        plain(DownloadSpec(url: "", destination: .file(path: "")), tags)
    }

    private func plain(_ options: DownloadSpec, _ tags: Set<String>) -> DownloadSpec {
        var spec = options
        spec.url = self[.url]
        spec.destination = destination
        spec.key = self[ifAny: .keyText]
        spec.tags = tags
        if let start: Int64 = self[ifAny: .rangeStart], let end: Int64 = self[ifAny: .rangeEnd] {
            spec.range = ByteRange(from: start, to: end)
        }
        return spec
    }

    private var destination: Destination {
        let path: String = self[.destination]
        let kind: Int64 = self[.destinationKind]
        return kind == 0 ? .file(path: path) : kind == 1 ? .folder(path: path) : .hashed(folder: path)
    }

    /// Returns the facts of the last finish; nil if the stored facts of an earlier run cannot be decoded.
    private func lastFinish(_ status: StoredStatus) -> FinishFacts? {
        if case .finished(let facts) = status { return facts }
        return (self[ifAny: .earlierFinish] as String?).flatMap { text in try? StoredJSON.value(text) }
    }

    private var fileID: FileIdentity? {
        guard let device: Int64 = self[ifAny: .device], let inode: Int64 = self[ifAny: .inode] else { return nil }
        return FileIdentity(
            device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), born: self[ifAny: .born])
    }

    /// The state of the record.
    var status: StoredStatus {
        get throws {
            guard let state = StoredState(number: self[.state]) else { throw Unreadable(column: .state) }
            switch state {
            case .queued: return .queued
            case .active: return .active
            case .paused: return .paused(try pause)
            case .held where self[ifAny: .hold] == "credentials": return .held(.credentials)
            case .held: return .held(.linkExpired(try json(.error)))
            case .finished: return .finished(try json(.finish))
            case .failed: return .failed(try json(.error))
            case .cancelled: return .cancelled(keptPartial: self[ifAny: .kept] ?? false)
            }
        }
    }

    private var pause: PauseReason {
        get throws {
            guard let text: String = self[ifAny: .pause], let reason = PauseReason(rawValue: text) else {
                throw Unreadable(column: .pause)
            }
            return reason
        }
    }

    /// Returns the value that a column contains as JSON.
    func json<Value: Decodable>(_ column: RecordColumn) throws -> Value {
        guard let text: String = self[ifAny: column] else { throw Unreadable(column: column) }
        return try StoredJSON.value(text)
    }
}

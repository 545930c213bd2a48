import GRDB
package import HaulCore

/// A change of the folder that paths are below.
package struct PathMove: Sendable, Hashable {
    /// The folder until now, without a slash at its end.
    package let old: String
    /// The folder from now on.
    package let new: String

    /// Makes a move between two absolute paths.
    package init(from old: String, to new: String) { (self.old, self.new) = (old, new) }

    /// Returns the new path of a file or folder; nil if it is not below the old folder.
    package func path(_ path: String) -> String? {
        if path.hasBytes(of: old) { return new }
        let prefix = old == "/" ? old : old + "/"
        guard path.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = path.utf8.dropFirst(prefix.utf8.count)
        return (new == "/" ? new : new + "/") + String(Substring(rest))
    }
}

/// A record whose paths were changed.
package struct MovedRecord: Sendable, Hashable {
    /// The download.
    package let id: DownloadID
    /// The new path of its file, if that is known and it has not finished.
    package let unfinishedPath: String?
}

extension Catalogue {
    /// Changes the paths of all records below a folder, in one transaction.
    ///
    /// Destinations, the paths of files, and folders for partial files are changed. A key that was derived from the
    /// destination is derived again, unless another record has the new one.
    ///
    /// - Parameters:
    ///   - forgetsFiles: True if finished files were copied: their identities, which differ, are forgotten.
    ///   - isPreview: True to change nothing.
    /// - Returns: The changed records, in list order.
    package func relocate(
        _ move: PathMove, forgetsFiles: Bool = false, isPreview: Bool = false
    ) throws(DownloadError) -> [MovedRecord] {
        func run(_ database: Database) throws -> [MovedRecord] {
            var moved: [MovedRecord] = []
            var last: Position?
            while true {
                let (sql, arguments) = try FilterSQL(.all, database).page(RecordColumn.list, after: last, limit: 1000)
                // Safe: see its declaration.
                let records = try unsafe RecordReader.all(sql, arguments, &interned, database)
                guard let end = records.last else { return moved }
                last = end.position
                // A record that can't be read would lose its options.
                for record in records where record.error?.code != .catalogueFailed {
                    let relocation = Relocation(record, move, forgetsFiles: forgetsFiles)
                    guard relocation.changes else { continue }
                    if !isPreview {
                        // Safe: see its declaration.
                        try unsafe relocation.write(&interned, database)
                    }
                    moved.append(
                        MovedRecord(id: record.id, unfinishedPath: record.finish == nil ? relocation.knownPath : nil))
                }
            }
        }
        return isPreview ? try reading(run) : try writing(run)
    }
}

/// The new paths of one record.
private struct Relocation {
    private let record: StoredRecord
    private var spec: DownloadSpec
    private var targetPath: String?
    private var finish: FinishFacts?
    private var earlier: FinishFacts?
    private(set) var changes = false

    init(_ record: StoredRecord, _ move: PathMove, forgetsFiles: Bool) {
        self.record = record
        var isMoved = false
        func new(_ path: String) -> String {
            guard let new = move.path(path) else { return path }
            isMoved = true
            return new
        }
        spec = record.spec.mappingPathsOfFile(new)
        targetPath = record.targetPath.map(new)
        func moved(_ facts: FinishFacts?) -> FinishFacts? {
            guard var facts, move.path(facts.path) != nil else { return facts }
            facts.path = new(facts.path)
            if forgetsFiles { facts.file = nil }
            return facts
        }
        finish = moved(record.finish)
        earlier = record.finish == nil ? moved(record.lastFinish) : nil
        changes = isMoved
    }

    /// The path of the file, if a run or the request has determined it.
    var knownPath: String? { targetPath ?? spec.destination.filePath }

    func write(_ interned: inout InternedValues, _ database: Database) throws {
        if spec != record.spec { try writeSpec(&interned, database) }
        try database.execute(
            sql: "UPDATE download SET target_path = ?, finish = ?, earlier_finish = ? WHERE id = ?",
            arguments: [
                targetPath, try finish.map { try StoredJSON.text($0) }, try earlier.map { try StoredJSON.text($0) },
                record.id.rawValue,
            ])
    }

    private func writeSpec(_ interned: inout InternedValues, _ database: Database) throws {
        try ChangeWriter(record.id, database).write(.spec(spec), &interned)
        guard record.spec.key == nil else { return }
        try database.execute(
            sql: """
                UPDATE download SET key = ?1, key_text = NULL
                WHERE id = ?2 AND NOT EXISTS (SELECT 1 FROM download WHERE key = ?1)
                """, arguments: [KeyDigest.data(of: spec.canonicalKey), record.id.rawValue])
    }
}

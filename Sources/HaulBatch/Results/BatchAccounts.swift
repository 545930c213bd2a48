/// The comparison of a folder with its manifest: rows in = ok + failed + refused.
///
/// An id is that of one row in each shard. If the shards of rows are known, equal ids in two shards are two rows, as they
/// are for the runs; otherwise they are reported.
package struct BatchAccounts: Sendable {
    /// The largest number of problems that are kept with their texts.
    package static let maxShown = 20

    private var index = RowIndex()
    private let knowsShards: Bool
    /// The invalid rows without an id, by their numbers.
    private var invalid: [Int64: Set<UInt128>] = [:]
    /// The shards of failed and refused rows, if the shards of rows in the manifest are not known.
    private var failedShards: [UInt128: Int] = [:]

    /// The rows of the manifest.
    package private(set) var rows: Int64 = 0
    /// Rows whose id occurred before in the manifest.
    package private(set) var repeated: Int64 = 0
    /// Rows with a file.
    package private(set) var ok: Int64 = 0
    /// Failed rows.
    package private(set) var failed: Int64 = 0
    /// Refused rows.
    package private(set) var refused: Int64 = 0
    /// Rows without a result.
    package private(set) var missing: Int64 = 0
    /// The ids of the first rows without a result.
    package private(set) var missingIDs: [String] = []
    /// Results whose rows are not in the manifest.
    package private(set) var foreign: Int64 = 0
    /// Results of invalid rows that were corrected in the manifest.
    private var corrected: Int64 = 0
    /// The number of problems.
    package private(set) var problemCount = 0
    /// The first problems.
    package private(set) var problems: [String] = []

    /// Creates empty accounts.
    ///
    /// - Parameter knowsShards: True if each row of the manifest is added with its shard.
    package init(knowsShards: Bool = false) { self.knowsShards = knowsShards }

    /// Takes a result, in the order of the parts.
    package mutating func add(_ line: ResultLine, part: PartName) {
        let row = line.identity.fingerprint
        let before = index.record(key(row, part.shard), line.state, error: line.error)
        if case .recorded(let state, _)? = before {
            switch state {
            case .ok: report("\(part.text): row \(line.identity.shown) was written twice")
            case .refused, .failed:
                if let other = failedShards[row], other != part.shard {
                    report("\(part.text): id \(line.identity.shown) is also in shard \(other): ids must be unique")
                }
            }
        }
        if !knowsShards, line.state != .ok { failedShards[row] = part.shard }
        if case .number(let number, _) = line.identity, line.isInvalid {
            invalid[number, default: []].insert(key(row, part.shard))
        }
    }

    /// Returns the key of a row in the index.
    private func key(_ row: UInt128, _ shard: Int) -> UInt128 {
        // Numbers of shards are small: an odd factor spreads them over all bits.
        knowsShards ? row ^ (UInt128(shard) &* 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835) : row
    }

    /// Records a problem, such as a tar that can't be read.
    package mutating func report(_ problem: String) {
        problemCount += 1
        if problems.count < Self.maxShown { problems.append(problem) }
    }

    /// Takes a row of the manifest, after all results.
    ///
    /// - Parameter shard: The shard of the row, if the shards are known.
    package mutating func add(_ row: ManifestRow, shard: Int = 0) {
        let fingerprint = key(row.identity.fingerprint, shard)
        let entry = index.start(fingerprint)
        // The row was corrected since, and may have an id now.
        for other in invalid[row.number] ?? [] where other != fingerprint && index.start(other) != .started {
            corrected += 1
        }
        guard entry != .started else {
            repeated += 1
            return
        }
        rows += 1
        switch entry {
        case .recorded(.ok, _)?: ok += 1
        case .recorded(.failed, _)?: failed += 1
        case .recorded(.refused, _)?: refused += 1
        case .started?, nil:
            missing += 1
            if missingIDs.count < Self.maxShown { missingIDs.append(row.identity.shown) }
        }
    }

    /// Ends the manifest.
    package mutating func finish() {
        // Every row of the manifest is marked as started now.
        foreign = Int64(index.count) - rows - corrected
    }

    /// True if every row has a result, and there is no problem.
    package var areComplete: Bool { missing == 0 && foreign == 0 && problemCount == 0 }

    /// The lines that report the result.
    package var text: String {
        var lines = ["\(rows) rows = \(ok) ok + \(failed) failed + \(refused) refused + \(missing) missing"]
        if repeated > 0 { lines.append("\(repeated) rows of the manifest repeat an id and were left out") }
        if foreign > 0 { lines.append("\(foreign) results belong to no row of the manifest") }
        if missing > 0 { lines.append("missing: " + Self.list(missingIDs, of: Int(missing))) }
        lines += problems
        if problemCount > problems.count { lines.append("and \(problemCount - problems.count) more problems") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The result as one JSON object, without a line break.
    package var json: String {
        let texts = problems.map(JSONText.quoted).joined(separator: ",")
        let ids = missingIDs.map(JSONText.quoted).joined(separator: ",")
        return #"{"event":"checked","complete":\#(areComplete),"rows":\#(rows),"ok":\#(ok),"failed":\#(failed),"#
            + #""refused":\#(refused),"missing":\#(missing),"repeated":\#(repeated),"foreign":\#(foreign),"#
            + #""problems":\#(problemCount),"missing_ids":[\#(ids)],"messages":[\#(texts)]}"#
    }

    private static func list(_ ids: [String], of count: Int) -> String {
        ids.joined(separator: ", ") + (count > ids.count ? ", and \(count - ids.count) more" : "")
    }
}

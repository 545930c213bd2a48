/// The comparison of a folder with its manifest: rows in = ok + failed + refused.
package struct BatchAccounts: Sendable {
    /// The largest number of problems that are kept with their texts.
    package static let maxShown = 20

    private var index = RowIndex()

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
    /// The number of problems.
    package private(set) var problemCount = 0
    /// The first problems.
    package private(set) var problems: [String] = []

    /// Creates empty accounts.
    package init() {}

    /// Takes a result, in the order of the parts.
    package mutating func add(_ line: ResultLine, part: String) {
        guard case .recorded(let before, _)? = index.record(line) else { return }
        switch (before, line.state) {
        case (.ok, _): report("\(part): row \(line.identity.shown) was written twice")
        case (.refused, _): report("\(part): row \(line.identity.shown) was refused before")
        case (.failed, _): return
        }
    }

    /// Records a problem, such as a tar that can't be read.
    package mutating func report(_ problem: String) {
        problemCount += 1
        if problems.count < Self.maxShown { problems.append(problem) }
    }

    /// Takes a row of the manifest, after all results.
    package mutating func add(_ row: ManifestRow) {
        let fingerprint = row.identity.fingerprint
        let entry = index[fingerprint]
        guard index.start(fingerprint) else {
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
        foreign = Int64(index.count) - rows
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

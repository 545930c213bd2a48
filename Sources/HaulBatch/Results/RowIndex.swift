/// The last results of all rows that are known, by the fingerprints of their identities.
package struct RowIndex: Sendable {
    /// The knowledge about a row.
    package enum Entry: Hashable, Sendable {
        /// It has this result.
        case recorded(RowState, error: String?)
        /// It was started in this run.
        case started

        /// The entry of a row that could not be fetched as it was in the manifest.
        package static let invalid = Entry.recorded(.refused, error: RowRefusal.invalidRow)
    }

    /// Codes of errors, by number.
    private var codes: [String] = []
    private var numbers: [String: UInt8] = [:]
    private var entries = FingerprintTable()
    /// The numbers of rows that have a result, if rows are known by them, 64 in each entry: bit n % 64 of entry n / 64.
    private var numbered: [Int64: UInt64] = [:]

    private static let (started, ok, firstFailed, firstRefused): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 128)
    private static let maxCodes = 120

    /// True if rows with ids are known by their numbers, too, because the shard of a row follows from its number.
    private let usesNumbers: Bool

    /// Creates an empty index.
    ///
    /// - Parameter usesNumbers: True if the shard of a row follows from its number.
    package init(usesNumbers: Bool = false) { self.usesNumbers = usesNumbers }

    /// The number of rows.
    package var count: Int { entries.count }

    /// Reserves memory for a number of rows.
    package mutating func reserve(_ count: Int) { entries.reserve(count) }

    /// Records a result, which replaces an earlier one of the same row.
    ///
    /// - Returns: The earlier entry; nil if the row was unknown.
    @discardableResult
    package mutating func record(_ line: ResultLine) -> Entry? {
        if !line.isInvalid, knowsNumber(of: line.identity), let row = line.row {
            numbered[row >> 6, default: 0] |= 1 << UInt64(row & 63)
        }
        return record(line.identity.fingerprint, line.state, error: line.error)
    }

    private func knowsNumber(of identity: RowIdentity) -> Bool {
        if case .number = identity { true } else { usesNumbers }
    }

    /// Returns true if a row is known by its number, and has the number of another row that has a result.
    ///
    /// Results of invalid rows do not count: they have no file, and may be corrected.
    ///
    /// - Parameter fingerprint: That of the row's identity.
    package func hasOther(_ row: ManifestRow, _ fingerprint: UInt128) -> Bool {
        guard knowsNumber(of: row.identity), row.problem == nil,
            let word = numbered[row.number >> 6], word & 1 << UInt64(row.number & 63) != 0
        else { return false }
        let entry = self[fingerprint]
        return entry == nil || entry == .invalid
    }

    /// Records a result by the fingerprint of its row.
    @discardableResult
    package mutating func record(_ row: UInt128, _ state: RowState, error: String?) -> Entry? {
        let value: UInt8 =
            switch state {
            case .ok: Self.ok
            case .failed: Self.firstFailed + number(of: error)
            case .refused: Self.firstRefused + number(of: error)
            }
        return entries.update(value, of: row).map(entry)
    }

    /// Marks a row as started in this run; returns its entry before, or nil if it was unknown.
    package mutating func start(_ row: UInt128) -> Entry? { entries.update(Self.started, of: row).map(entry) }

    /// Returns the entry of a row; nil if it is unknown.
    package subscript(row: UInt128) -> Entry? { entries[row].map(entry) }

    private func entry(_ value: UInt8) -> Entry {
        switch value {
        case Self.started: .started
        case Self.ok: .recorded(.ok, error: nil)
        case Self.firstRefused...: .recorded(.refused, error: code(value - Self.firstRefused))
        case _: .recorded(.failed, error: code(value - Self.firstFailed))
        }
    }

    private func code(_ number: UInt8) -> String? { codes.indices.contains(Int(number)) ? codes[Int(number)] : nil }

    private mutating func number(of code: String?) -> UInt8 {
        let code = code ?? ""
        if let known = numbers[code] { return known }
        // There are about 40 codes; a file with more is not Haul's.
        guard codes.count < Self.maxCodes else { return UInt8(Self.maxCodes) }
        codes.append(code)
        numbers[code] = UInt8(codes.count - 1)
        return UInt8(codes.count - 1)
    }
}

/// The rows that a run fetches.
package enum RowSelection: Hashable, Sendable {
    /// Rows without a result.
    case missing
    /// Rows without a result, and others: all failed ones, or those with these codes or states.
    ///
    /// `failed` and `refused` are all rows in this state.
    case missingAndFailed(codes: Set<String>?)

    /// Returns true if a row with this entry is to be fetched.
    package func contains(_ entry: RowIndex.Entry?) -> Bool {
        switch (self, entry) {
        case (_, nil): true
        case (_, .started?), (_, .recorded(.ok, _)?), (.missing, .recorded?): false
        case (.missingAndFailed(nil), .recorded(let state, _)?): state == .failed
        case (.missingAndFailed(let codes?), .recorded(let state, let error)?):
            codes.contains(state.rawValue) || error.map(codes.contains) ?? false
        }
    }
}

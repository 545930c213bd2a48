import GRDB
import HaulCore
import Testing

@testable import HaulStore

/// What the database itself refuses, whoever writes it.
@Suite struct ConstraintTests {
    /// What a state must have: the columns that are not NULL.
    private static let owned: [StoredState: Set<String>] = [
        .queued: [], .active: [], .paused: ["pause"], .held: ["hold"], .finished: ["finish"], .failed: ["error"],
        .cancelled: ["kept"],
    ]
    private static let values = [
        "pause": "'asked'", "hold": "'credentials'", "finish": "'{}'", "error": "'{}'", "kept": "1",
    ]

    /// Every state with every subset of what may belong to one.
    @Test(arguments: StoredState.allCases)
    func aStateHasItsOwnAndNothingElse(_ state: StoredState) throws {
        let shelf = try filled()
        let names = Self.values.keys.sorted()
        let queue = try DatabaseQueue(path: shelf.path)
        for bits in 0..<(1 << names.count) {
            let set = Set(names.indices.filter { bits & 1 << $0 != 0 }.map { names[$0] })
            let columns = names.map { "\($0) = \(set.contains($0) ? Self.values[$0] ?? "" : "NULL")" }
            let sql = """
                UPDATE download SET state = \(state.number), target_path = '/a', total = 0, \(columns.joined(separator: ", "))
                """
            let isLegal = (try? queue.inDatabase { try $0.execute(sql: sql) }) != nil
            #expect(isLegal == (set == Self.owned[state]), "\(state) with \(set)")
        }
    }

    @Test(arguments: [
        "state = 7", "state = -1", "state = 'queued'", "state = 2, pause = 'tired'", "state = 3, hold = 'space'",
        "state = 3, hold = 'linkExpired'", "state = 3, hold = 'credentials', error = '{}'",
        "state = 4, finish = '{}', target_path = '/a', total = 5, done = 4",
        "state = 4, finish = '{}', target_path = '/a'",
        "state = 4, finish = '{}', total = 0", "priority = 1001", "priority = -1001", "total = -1", "done = -1",
        "done = NULL", "device = 1", "inode = 1", "range_start = 1", "range_end = 1", "range_start = 2, range_end = 1",
        "range_start = -1, range_end = 1", "destination_kind = 3", "lacks_secrets = 2", "replaced_sources = ''",
        "starts_at_once = NULL", "key = x'00'", "key = 'abcdefghabcdefgh'", "host = 99", "options = 99", "label = 99",
        "url = NULL", "position = 2097152", "state = 6, kept = 2",
    ])
    func anIllegalRowIsRefused(_ change: String) throws {
        let shelf = try filled()
        #expect(throws: DatabaseError.self) { try shelf.raw("UPDATE download SET \(change) WHERE id = 1") }
        #expect(try shelf.open().record(DownloadID(rawValue: 1))?.status == .queued)
    }

    @Test(arguments: [
        "number = 0", "number = 2", "kind = 'progress'", "kind = 'paused'", "facts = '{}'", "download = NULL",
        "time = 'now'",
    ])
    func anIllegalEventIsRefused(_ change: String) throws {
        let shelf = try filled()
        #expect(throws: DatabaseError.self) { try shelf.raw("UPDATE event SET \(change) WHERE number = 1") }
    }

    private func filled() throws -> Shelf {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        try catalogue.add(2)
        catalogue.close()
        return shelf
    }
}

import HaulCore
import Testing

@testable import HaulStore

@Suite struct UnreadableRecordTests {
    /// What something else may have written; constraints are off, as for bytes that a bad disk changed.
    @Test(arguments: [
        "UPDATE download SET error = '{' WHERE id = 2", "UPDATE download SET error = NULL WHERE id = 2",
        "UPDATE download SET state = 99 WHERE id = 2", "UPDATE download SET checksum = 'crc:1' WHERE id = 2",
        "UPDATE download SET state = 4, error = NULL, finish = '[]' WHERE id = 2",
        "UPDATE download SET state = 2, error = NULL, pause = 'tired' WHERE id = 2",
        "UPDATE options SET json = '[1]' WHERE number = (SELECT options FROM download WHERE id = 2)",
        "UPDATE download SET options = 99 WHERE id = 2",
    ])
    func oneTakesNoOtherAlong(_ sql: String) throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        var specs = (0..<3).map(Samples.spec)
        specs[1].retries = 77
        let ids = try catalogue.add(specs)
        try catalogue.apply([RecordChange(ids[1], .state(.failed(Samples.error), time: 1))], events: [])
        let before = try catalogue.page(.all, limit: 9)
        catalogue.close()
        try shelf.raw("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; " + sql)
        let again = try shelf.open()
        let after = try again.page(.all, limit: 9)
        #expect(after[0] == before[0] && after[2] == before[2])
        #expect(after[1].id == ids[1] && after[1].spec.url == specs[1].url && after[1].key == before[1].key)
        #expect(after[1].error?.code == .catalogueFailed)
        try again.apply([RecordChange(ids[1], .remove)], events: [])
        #expect(try again.list == [ids[0], ids[2]])
    }
}

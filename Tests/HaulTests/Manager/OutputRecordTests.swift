import Haul
import HaulCore
import HaulStore
import Testing

@testable import HaulLocal

@Suite("Who records the place of a run")
struct PlacedRunTests {
    static let output = RunOutput(path: "/f", totalBytes: 7, file: FileIdentity(device: 1, inode: 2))

    @Test("the run records nothing where the manager has recorded the same", arguments: [true, false])
    func begun(couldRecord: Bool) {
        let placed = OutputRecord()
        var emitted: [RecordChange.Kind?] = []
        placed.begin(Self.output) {
            emitted.append($0); return couldRecord
        }
        #expect(emitted == [Self.output.change])
        placed.end(Self.output) {
            emitted.append($0); return true
        }
        #expect(emitted.count == (couldRecord ? 1 : 2))
        placed.end(Self.output) {
            emitted.append($0); return true
        }
        #expect(emitted.count == (couldRecord ? 1 : 2))
    }

    @Test("the run records what was not known at the start", arguments: [nil, 6] as [Int64?])
    func changed(total: Int64?) {
        let placed = OutputRecord()
        var emitted: [RecordChange.Kind?] = []
        placed.begin(RunOutput(path: "/f", totalBytes: total, file: Self.output.file)) {
            emitted.append($0); return true
        }
        placed.end(Self.output) {
            emitted.append($0); return true
        }
        #expect(emitted.last == Self.output.change && emitted.count == 2)
    }

    @Test("what was known at the start does not replace what the run has recorded", arguments: [true, false])
    func late(couldRecord: Bool) {
        let placed = OutputRecord()
        let start = RunOutput(path: "/f", totalBytes: nil, file: Self.output.file)
        placed.end(Self.output) { _ in couldRecord }
        var emitted: [RecordChange.Kind?] = []
        placed.begin(start) {
            emitted.append($0); return true
        }
        #expect(emitted == [couldRecord ? nil : start.change])
    }
}

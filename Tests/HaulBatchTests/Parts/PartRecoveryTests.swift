import HaulBatch
import Testing

@Suite struct PartRecoveryTests {
    /// A part with rows that are ok, failed and refused in turn.
    private func part(rows: Int) -> (tar: [UInt8], results: [UInt8], ends: [(tar: Int, results: Int)]) {
        var draft = PartDraft(PartName(shard: 0, part: 0), .tar, modified: 0)
        var (tar, results): ([UInt8], [UInt8]) = ([], [])
        var ends = [(tar: 0, results: 0)]
        for number in 0..<rows {
            let row = ManifestRow(number: Int64(number), url: "http://h/\(number)")
            if number % 3 == 1 {
                RowResult(row, number % 2 == 0 ? .failed : .refused, error: "notFound", message: "é").write(
                    to: &results)
            } else {
                var result = RowResult(row, .ok)
                (result.bytes, result.sha256) = (Int64(number * 100), "\(number)")
                let placement = draft.place(&result, key: "k\(number)", ending: "jpg")
                tar += placement.head + Array(repeating: UInt8(number), count: number * 100) + placement.tail
                result.write(to: &results)
            }
            ends.append((tar.count, results.count))
        }
        return (tar, results, ends)
    }

    @Test func `a kill at any byte leaves the rows whose results were written`() {
        let (tar, results, ends) = part(rows: 7)
        for length in 0...results.count {
            let whole = ends.lastIndex { $0.results <= length } ?? 0
            let recovery = PartRecovery(
                results: Array(results.prefix(length)), format: .tar, dataLength: Int64(tar.count)
            ) { _, _ in true }
            #expect(recovery.lines.count == whole)
            #expect(recovery.resultBytes == ends[whole].results)
            #expect(recovery.dataBytes == Int64(ends[whole].tar))
        }
    }

    @Test func `results whose bytes are missing do not count`() {
        let (tar, results, ends) = part(rows: 7)
        for length in 0...tar.count {
            let recovery = PartRecovery(results: results, format: .tar, dataLength: Int64(length)) { _, _ in true }
            let whole = ends.lastIndex { $0.tar <= length } ?? 0
            #expect(recovery.lines.count == whole)
            #expect(recovery.dataBytes == Int64(ends[whole].tar))
        }
    }

    @Test func `a file with a wrong digest ends the part`() {
        let (tar, results, _) = part(rows: 7)
        let recovery = PartRecovery(results: results, format: .tar, dataLength: Int64(tar.count)) {
            $0.member != "k3.jpg" && $1 >= 0
        }
        #expect(recovery.lines.count == 3)
    }

    @Test(arguments: [(Int64.max, Int64.min), (-1, 1), (1, Int64.min), (1, .max), (512, 512)] as [(Int64, Int64)])
    func `places that no file has end the part`(offset: Int64, end: Int64) {
        var result = RowResult(ManifestRow(number: 0, url: "u"), .ok)
        (result.bytes, result.sha256, result.member, result.offset, result.end) = (.max, "0", "k.jpg", offset, end)
        var line: [UInt8] = []
        result.write(to: &line)
        #expect(PartRecovery(results: line, format: .tar, dataLength: 1 << 20) { _, _ in true }.lines.isEmpty)
        #expect(PartRecovery(results: line, format: .files, dataLength: 0) { _, _ in true }.lines.isEmpty)
    }

    @Test func `a changed line ends the part`() {
        let (tar, results, ends) = part(rows: 4)
        for (index, byte) in [(0, UInt8(0)), (1, UInt8(ascii: "x")), (ends[1].results - 2, UInt8(ascii: " "))] {
            var changed = results
            changed[index] = byte
            let recovery = PartRecovery(results: changed, format: .tar, dataLength: Int64(tar.count)) { _, _ in true }
            #expect(recovery.lines.isEmpty)
            #expect(recovery.dataBytes == 0)
        }
    }

    @Test func `an offset inside an earlier row ends the part`() {
        let (tar, results, ends) = part(rows: 1)
        let twice = results + results
        let recovery = PartRecovery(results: twice, format: .tar, dataLength: Int64(tar.count)) { _, _ in true }
        #expect(recovery.lines.count == 1)
        #expect(recovery.resultBytes == ends[1].results)
    }
}

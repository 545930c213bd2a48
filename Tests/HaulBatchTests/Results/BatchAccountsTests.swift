import HaulBatch
import Testing

@Suite struct BatchAccountsTests {
    private func line(_ id: String, _ state: RowState) throws -> ResultLine {
        var result = RowResult(ManifestRow(number: 0, url: "u", id: id), state, error: state == .ok ? nil : "x")
        (result.bytes, result.sha256, result.member) = (1, "a", "m")
        var bytes: [UInt8] = []
        result.write(to: &bytes)
        return try #require(ResultLine(bytes.dropLast()))
    }

    private func accounts(_ lines: [(String, RowState)], _ rows: [String]) throws -> BatchAccounts {
        var accounts = BatchAccounts()
        for (id, state) in lines { accounts.add(try line(id, state), part: PartName(shard: 0, part: 0)) }
        for (number, id) in rows.enumerated() { accounts.add(ManifestRow(number: Int64(number), url: "u", id: id)) }
        accounts.finish()
        return accounts
    }

    @Test func `rows in are ok and failed and refused`() throws {
        let accounts = try accounts([("a", .ok), ("b", .failed), ("c", .refused)], ["a", "b", "c"])
        #expect(accounts.areComplete)
        #expect((accounts.rows, accounts.ok, accounts.failed, accounts.refused) == (3, 1, 1, 1))
        #expect(accounts.text == "3 rows = 1 ok + 1 failed + 1 refused + 0 missing\n")
    }

    @Test func `a row without a result is missing`() throws {
        let accounts = try accounts([("a", .ok)], ["a", "b"])
        #expect(!accounts.areComplete && accounts.missing == 1 && accounts.missingIDs == ["b"])
    }

    @Test func `a retried row counts once, by its last result`() throws {
        let accounts = try accounts([("a", .failed), ("a", .failed), ("a", .ok)], ["a"])
        #expect(accounts.areComplete && accounts.ok == 1 && accounts.failed == 0)
    }

    @Test(arguments: RowState.allCases, RowState.allCases)
    func `a second result of a row is a problem if the first one has a file`(first: RowState, second: RowState) throws {
        #expect(try accounts([("a", first), ("a", second)], ["a"]).areComplete == (first != .ok))
    }

    @Test func `the result of an invalid row that was corrected belongs to the row`() throws {
        func line(_ number: Int64, _ url: String, _ state: RowState) throws -> ResultLine {
            var result = RowResult(
                ManifestRow(number: number, url: url), state, error: state == .ok ? nil : "invalidRow")
            (result.bytes, result.sha256, result.member) = (1, "a", "m")
            var bytes: [UInt8] = []
            result.write(to: &bytes)
            return try #require(ResultLine(bytes.dropLast()))
        }
        for knowsShards in [true, false] {
            var accounts = BatchAccounts(knowsShards: knowsShards)
            let part = PartName(shard: 0, part: 0)
            for each in [try line(0, "", .refused), try line(0, "u", .ok), try line(1, "", .refused)] {
                accounts.add(each, part: part)
            }
            var other = accounts
            for row in [ManifestRow(number: 0, url: "u"), ManifestRow(number: 1, url: "")] { accounts.add(row) }
            accounts.finish()
            #expect(accounts.areComplete && accounts.rows == 2 && accounts.refused == 1, "\(accounts.text)")
            // Another row than the corrected one is not in the manifest.
            other.add(ManifestRow(number: 0, url: "u"))
            other.finish()
            #expect(other.foreign == 1 && other.rows == 1)
        }
    }

    @Test(arguments: [true, false])
    func `the result of an unreadable line belongs to its row, which has an id now`(knowsShards: Bool) throws {
        let unread = RowResult(ManifestRow(number: 1, url: "", problem: "x"), .refused, error: "invalidRow")
        var bytes: [UInt8] = []
        unread.write(to: &bytes)
        var accounts = BatchAccounts(knowsShards: knowsShards)
        accounts.add(try line("a", .ok), part: Self.a)
        accounts.add(try #require(ResultLine(bytes.dropLast())), part: Self.a)
        // The id may be that of an earlier row.
        var other = accounts
        accounts.add(try line("b", .ok), part: Self.b)
        accounts.add(ManifestRow(number: 0, url: "u", id: "a"), shard: 0)
        accounts.add(ManifestRow(number: 1, url: "u", id: "b"), shard: 1)
        accounts.finish()
        #expect(accounts.areComplete && accounts.rows == 2 && accounts.ok == 2, "\(accounts.text)")
        for number: Int64 in 0...1 { other.add(ManifestRow(number: number, url: "u", id: "a")) }
        other.finish()
        #expect(other.areComplete && other.rows == 1 && other.repeated == 1, "\(other.text)")
    }

    @Test func `a result of another manifest is a problem`() throws {
        let accounts = try accounts([("a", .ok), ("z", .ok)], ["a"])
        #expect(!accounts.areComplete && accounts.foreign == 1)
    }

    @Test func `a repeated id is one row`() throws {
        let accounts = try accounts([("a", .ok)], ["a", "a"])
        #expect(accounts.areComplete && accounts.rows == 1 && accounts.repeated == 1)
    }

    private static let (a, b, c) = (
        PartName(shard: 0, part: 0), PartName(shard: 1, part: 0), PartName(shard: 1, part: 1)
    )

    @Test(arguments: RowState.allCases, RowState.allCases)
    func `equal ids in two shards are two rows if the shards are known, and a problem otherwise`(
        first: RowState, second: RowState
    ) throws {
        for knowsShards in [true, false] {
            var accounts = BatchAccounts(knowsShards: knowsShards)
            accounts.add(try line("x", first), part: Self.a)
            accounts.add(try line("x", second), part: Self.b)
            for shard in 0...1 { accounts.add(ManifestRow(number: Int64(shard), url: "u", id: "x"), shard: shard) }
            accounts.finish()
            #expect(accounts.areComplete == knowsShards, "\(accounts.text)")
            #expect(accounts.rows == (knowsShards ? 2 : 1) && accounts.repeated == (knowsShards ? 0 : 1))
            #expect(accounts.problemCount == (knowsShards ? 0 : 1))
        }
    }

    @Test(arguments: [true, false])
    func `a row is retried in its own shard, and repeated there`(knowsShards: Bool) throws {
        var accounts = BatchAccounts(knowsShards: knowsShards)
        for part in [Self.b, Self.c] { accounts.add(try line("x", part == Self.b ? .failed : .ok), part: part) }
        for _ in 0...1 { accounts.add(ManifestRow(number: 0, url: "u", id: "x"), shard: 1) }
        accounts.finish()
        #expect(accounts.areComplete && accounts.ok == 1 && accounts.repeated == 1, "\(accounts.text)")
    }

    @Test func `long lists are cut`() throws {
        var accounts = try accounts([], (0..<50).map { "r\($0)" })
        for number in 0..<50 { accounts.report("problem \(number)") }
        #expect(accounts.text.contains("and 30 more\n") && accounts.text.contains("and 30 more problems"))
        #expect(accounts.json.contains(#""missing":50"#))
    }
}

@Suite struct BatchTallyTests {
    @Test func `rates are those since the last report`() {
        var tally = BatchTally()
        tally.count(.ok, error: nil, bytes: 1000, host: "h")
        let first = BatchReport(tally, at: 10, since: (BatchTally(), 0), isFinal: false)
        #expect((first.rowRate, first.byteRate) == (0.1, 100))
        let before = tally
        tally.count(.failed, error: "notFound", bytes: nil, host: "h")
        tally.count(.refused, error: "tooLarge", bytes: nil, host: "h")
        let second = BatchReport(tally, at: 11, since: (before, 10), isFinal: true)
        #expect((second.rowRate, second.byteRate) == (2, 0))
        #expect(second.line == "3 rows: 1 ok, 1 failed (notFound 1), 1 refused (tooLarge 1); 2 rows/s, 0.0 B/s")
        #expect(
            second.json
                == #"{"event":"ended","ok":1,"failed":1,"refused":1,"seconds":11.0,"rows_per_second":2.0,"#
                + #""bytes_per_second":0.0,"bytes":1000,"earlier":0,"repeated":0,"failed_by":{"notFound":1},"#
                + #""refused_by":{"tooLarge":1},"failed_hosts":{"h":1}}"#)
    }

    @Test func `the number of rows is estimated, and exact at the end`() {
        var estimate = RowEstimate()
        #expect(estimate.total == nil)
        estimate.read(10, at: 100, of: 1000)
        #expect(estimate.total == 100)
        estimate.read(50, at: 200, of: 1000)
        #expect(estimate.total == 300)
        // A file that grows, and a pipe.
        estimate.read(0, at: 2000, of: 1000)
        #expect(estimate.total == 60)
        estimate.read(1, at: 3000, of: nil)
        #expect(estimate.total == nil)
        estimate.end()
        #expect(estimate.total == 61 && estimate.isExact)
    }

    @Test func `Prometheus gets one line per cause`() {
        var tally = BatchTally()
        tally.count(.failed, error: "notFound", bytes: nil, host: "h")
        let text = BatchReport(tally, at: 1, since: (BatchTally(), 0), isFinal: true).prometheus(shard: .whole)
        #expect(text.contains(#"haul_batch_rows_total{shard="0",state="failed",error="notFound"} 1"#))
        #expect(text.contains("# TYPE haul_batch_rows_total counter\n"))
        #expect(text.contains(#"haul_batch_ended{shard="0"} 1"#))
    }

    @Test func `the worst hosts come first`() {
        var tally = BatchTally()
        for number in 0..<20 {
            for _ in 0...number { tally.count(.failed, error: "x", bytes: nil, host: "h\(number)") }
        }
        #expect(tally.worstHosts.map(\.host) == ["h19", "h18", "h17", "h16", "h15"])
    }
}

import HaulBatch
import HaulTestData
import Testing

@Suite struct RowResultTests {
    @Test func `a line has all members in one order`() {
        var result = RowResult(
            ManifestRow(number: 3, url: "http://h/\"", id: "a\u{1}", columns: #""w":1"#), .failed, error: "timedOut",
            message: "x\ny")
        (result.status, result.milliseconds, result.attempts) = (503, 1_005, 2)
        var bytes: [UInt8] = []
        result.write(to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"id":"a\u0001","row":3,"url":"http://h/\"","state":"failed","error":"timedOut","message":"x\ny","#
                + #""final_url":null,"status":503,"bytes":null,"media_type":null,"sha256":null,"member":null,"#
                + #""offset":null,"end":null,"seconds":1.005,"attempts":2,"columns":{"w":1}}"# + "\n")
    }

    @Test(arguments: RowState.allCases, [RowIdentity.id("7"), .id(""), .number(7, url: "http://h/7")])
    func `a line is read back`(state: RowState, identity: RowIdentity) throws {
        var row = ManifestRow(number: 7, url: "http://h/7")
        if case .id(let id) = identity { row.id = id }
        var result = RowResult(row, state, error: state == .ok ? nil : "notFound")
        if state == .ok {
            (result.bytes, result.sha256, result.member) = (5, "ab", "k.jpg")
            (result.offset, result.end) = (512, 2048)
        }
        var bytes: [UInt8] = []
        result.write(to: &bytes)
        for readsFile in [true, false] {
            let line = try #require(ResultLine(bytes.dropLast(), readsFile: readsFile))
            #expect(line.identity == identity)
            #expect(line.state == state)
            #expect(line.error == result.error)
            #expect((line.file != nil) == (readsFile && state == .ok))
        }
    }

    @Test(arguments: [
        ("http://anna:s3cret@h/a?b=c@d", "http://h/a?b=c@d"), ("HTTP://anna:s3/cret@h:80/", "HTTP://h:80/"),
        ("http://anna@h/", "http://h/"), ("http://h/@user", "http://h/@user"), ("anna:s3cret@h/x", "REDACTED@h/x"),
        ("http:/anna:s3cret@h/x", "REDACTED@h/x"), ("http://@h/", "http://h/"), ("", ""),
    ])
    func `user and password of a URL are not published`(url: String, published: String) throws {
        let row = ManifestRow(number: 7, url: url, problem: "x")
        let result = RowResult(row, .refused, error: "invalidRow")
        #expect(result.url == published)
        // The next run finds the row.
        var bytes: [UInt8] = []
        result.write(to: &bytes)
        #expect(try #require(ResultLine(bytes.dropLast())).identity == row.identity)
    }

    @Test func `every prefix of a line is no result`() {
        var result = RowResult(ManifestRow(number: 7, url: "http://h/7", columns: #""a":{"b":1}"#), .ok)
        (result.bytes, result.sha256, result.member) = (5, "ab", "k.jpg")
        var bytes: [UInt8] = []
        result.write(to: &bytes)
        for count in 0..<bytes.count - 1 { #expect(ResultLine(bytes.prefix(count)) == nil) }
    }

    @Test func `a line that is not UTF-8 is not a result`() {
        var bytes: [UInt8] = []
        RowResult(ManifestRow(number: 7, url: "http://h/ab"), .refused, error: "a").write(to: &bytes)
        #expect(ResultLine(bytes.dropLast()) != nil)
        let index = bytes.lastIndex(of: UInt8(ascii: "a")) ?? 0
        bytes[index] = 0xFF
        #expect(ResultLine(bytes.dropLast()) == nil)
    }

    @Test func `ids and numbers are different identities`() {
        let all = [RowIdentity.id("7"), .number(7, url: "a"), .number(7, url: "b"), .id("7 a"), .id("")]
        #expect(Set(all.map(\.fingerprint)).count == all.count)
    }
}

@Suite struct RowIndexTests {
    @Test func `the last result counts`() {
        var index = RowIndex()
        #expect(index[1] == nil)
        #expect(index.record(1, .failed, error: "timedOut") == nil)
        #expect(index[1] == .recorded(.failed, error: "timedOut"))
        #expect(index.record(1, .ok, error: nil) == .recorded(.failed, error: "timedOut"))
        #expect(index[1] == .recorded(.ok, error: nil))
        index.record(2, .refused, error: "tooLarge")
        #expect(index[2] == .recorded(.refused, error: "tooLarge"))
        #expect(index.count == 2)
    }

    @Test func `a row is started once`() {
        var index = RowIndex()
        #expect(index.start(1) == nil)
        #expect(index.start(1) == .started)
        index.record(2, .ok, error: nil)
        #expect(index.start(2) == .recorded(.ok, error: nil))
        #expect(index[2] == .started)
    }

    private func line(_ row: ManifestRow, _ state: RowState, _ error: String?) throws -> ResultLine {
        var result = RowResult(row, state, error: error)
        (result.bytes, result.sha256, result.member) = (1, "a", "m")
        var bytes: [UInt8] = []
        result.write(to: &bytes)
        return try #require(ResultLine(bytes.dropLast(), readsFile: false))
    }

    @Test func `where the shard of a row follows from its number, a row with an id is another one, too`() throws {
        var index = RowIndex(usesNumbers: true)
        func hasOther(_ row: ManifestRow) -> Bool { index.hasOther(row, row.identity.fingerprint) }
        index.record(try line(ManifestRow(number: 0, url: "a", id: "A"), .ok, nil))
        index.record(try line(ManifestRow(number: 2, url: "c", id: "C"), .failed, "notFound"))
        index.record(try line(ManifestRow(number: 4, url: "", id: "E"), .refused, "invalidRow"))
        #expect(!hasOther(ManifestRow(number: 0, url: "other", id: "A")))
        // Its shard is the same.
        #expect(!hasOther(ManifestRow(number: 0, url: "c", id: "C")))
        #expect(hasOther(ManifestRow(number: 0, url: "b", id: "B")))
        #expect(hasOther(ManifestRow(number: 2, url: "d", id: "D")))
        #expect(!hasOther(ManifestRow(number: 4, url: "f", id: "F")))
        #expect(!hasOther(ManifestRow(number: 6, url: "b", id: "B")))
    }

    @Test func `a row without an id is another one if its number has a result with another URL`() throws {
        var index = RowIndex()
        func hasOther(_ row: ManifestRow) -> Bool { index.hasOther(row, row.identity.fingerprint) }
        for number in [0, 63, 64, 200] as [Int64] {
            #expect(!hasOther(ManifestRow(number: number, url: "a")))
            index.record(try line(ManifestRow(number: number, url: "a"), number == 63 ? .failed : .ok, "x"))
            #expect(!hasOther(ManifestRow(number: number, url: "a")))
            #expect(hasOther(ManifestRow(number: number, url: "b")))
            #expect(!hasOther(ManifestRow(number: number + 1, url: "b")))
            #expect(!hasOther(ManifestRow(number: number, url: "b", id: "b")))
        }
        index.record(try line(ManifestRow(number: 9, url: ""), .refused, "invalidRow"))
        #expect(!hasOther(ManifestRow(number: 9, url: "b")))
        index.record(try line(ManifestRow(number: 10, url: "a", id: "10"), .ok, nil))
        #expect(!hasOther(ManifestRow(number: 10, url: "b")))
    }

    @Test(arguments: [0, 1, 100, 5000], [UInt128(1), UInt128(1) << 64, 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835])
    func `it knows the same rows as a dictionary, in whatever order they come`(reserved: Int, factor: UInt128) {
        var (index, model) = (RowIndex(), [UInt128: RowState]())
        var random = SeededGenerator(seed: 3)
        index.reserve(reserved)
        for step in 0..<3000 {
            let row = UInt128(UInt64.random(in: 0..<1500, using: &random)) &* factor
            let state = RowState.allCases[step % 3]
            #expect(index[row] == model[row].map { .recorded($0, error: $0 == .ok ? nil : "e") })
            let before = index.record(row, state, error: "e")
            #expect(before == model.updateValue(state, forKey: row).map { .recorded($0, error: $0 == .ok ? nil : "e") })
        }
        #expect(index.count == model.count)
        for (row, state) in model { #expect(index[row] == .recorded(state, error: state == .ok ? nil : "e")) }
    }

    @Test func `more codes than there can be do not trap`() {
        var index = RowIndex()
        for number in 0..<300 { index.record(UInt128(number), .failed, error: "e\(number)") }
        for number in 0..<300 { index.record(UInt128(number), .refused, error: "e\(number)") }
        #expect(index[5] == .recorded(.refused, error: "e5"))
        guard case .recorded(.refused, _)? = index[299] else {
            Issue.record("another state")
            return
        }
    }

    @Test func `each selection takes the rows that it names`() {
        let entries: [RowIndex.Entry?] = [
            nil, .started, .recorded(.ok, error: nil), .recorded(.refused, error: "a"), .recorded(.failed, error: "a"),
            .recorded(.failed, error: "b"),
        ]
        func taken(_ selection: RowSelection) -> [Bool] { entries.map(selection.contains) }
        #expect(taken(.missing) == [true, false, false, false, false, false])
        #expect(taken(.missingAndFailed(codes: nil)) == [true, false, false, false, true, true])
        #expect(taken(.missingAndFailed(codes: ["a"])) == [true, false, false, true, true, false])
        #expect(taken(.missingAndFailed(codes: ["b"])) == [true, false, false, false, false, true])
        #expect(taken(.missingAndFailed(codes: ["refused"])) == [true, false, false, true, false, false])
        #expect(taken(.missingAndFailed(codes: ["failed"])) == [true, false, false, false, true, true])
    }
}

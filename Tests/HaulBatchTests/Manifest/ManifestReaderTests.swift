import HaulBatch
import Testing

@Suite struct ManifestReaderTests {
    /// Reads a text in pieces of a size.
    private func rows(
        _ text: String, _ format: ManifestFormat, _ columns: ManifestColumns = ManifestColumns(), piece: Int = .max
    ) throws -> [ManifestRow] {
        var reader = ManifestReader(format, columns)
        var rows: [ManifestRow] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            reader.append(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            while let row = try reader.next() { rows.append(row) }
        }
        reader.append([])
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    @Test func `a list has one URL per line; comments and blank lines are no rows`() throws {
        let rows = try rows("# pictures\nhttp://h/1\n\n  http://h/2 \r\nhttp://h/3", .list)
        #expect(rows.map(\.url) == ["http://h/1", "http://h/2", "http://h/3"])
        #expect(rows.map(\.number) == [0, 1, 2])
        #expect(rows.allSatisfy { $0.id == nil && $0.problem == nil })
    }

    @Test(arguments: ManifestFormat.allCases)
    func `Parquet and compressed files are refused`(format: ManifestFormat) {
        let starts: [[UInt8]] = [Array("PAR1\u{15}".utf8), [0x1F, 0x8B, 8, 0], [0x28, 0xB5, 0x2F, 0xFD, 4]]
        for start in starts { #expect(format.fault(start: start, ManifestColumns()) != nil) }
        for text in ["", "{", "PAR\n", "url,id\n"] { #expect(format.fault(start: text.utf8, ManifestColumns()) == nil) }
    }

    @Test(arguments: ManifestFormat.allCases)
    func `a list has no columns that could be named`(format: ManifestFormat) {
        let named = ManifestColumns(url: "url", id: "key", requiresID: true)
        #expect((format.fault(start: "key,url\n".utf8, named) != nil) == (format == .list))
    }

    @Test(arguments: [
        (ManifestFormat.jsonl, #"{"url":"http://h/1","sha256":"q","column_sha256":"r"}"#),
        (.csv, "url,sha256,column_sha256\nhttp://h/1,q,r\n"),
    ])
    func `a column whose name Haul writes does not take that of another`(format: ManifestFormat, text: String) throws {
        let columns = try rows(text, format).map(\.columns)
        #expect(columns == [#""column_sha256":"q","column_sha256.1":"r""#])
    }

    @Test func `CSV has quotes, quoted line breaks and doubled quotes`() throws {
        let text = "id,url,caption\r\n7,http://h/1,\"a \"\"b\"\",\r\nc\"\r\n8,\"http://h/2\",\r\n"
        let rows = try rows(text, .csv)
        #expect(rows.map(\.id) == ["7", "8"])
        #expect(rows.map(\.url) == ["http://h/1", "http://h/2"])
        #expect(rows.map(\.columns) == [#""caption":"a \"b\",\r\nc""#, #""caption":"""#])
    }

    @Test(arguments: ManifestFormat.allCases)
    func `the rows are the same in pieces of any size`(format: ManifestFormat) throws {
        let texts: [ManifestFormat: String] = [
            .jsonl: "{\"url\":\"http://h/1\",\"n\":[1,2]}\r\n\n{\"url\":\"http://h/\\u00e9\",\"id\":3}\n",
            .csv: "\u{FEFF}url,a\n\"http://h/1\",\"x\ny\"\n\nhttp://h/2,\"\"\"\"\nbad\n",
            .tsv: "url\ta\nhttp://h/1\t\"x\nhttp://h/2\t\n",
            .list: "http://h/1\n#\nhttp://h/2",
        ]
        let text = try #require(texts[format])
        let whole = try rows(text, format)
        #expect(whole.count >= 2)
        for piece in 1...text.utf8.count { #expect(try rows(text, format, piece: piece) == whole) }
    }

    @Test func `JSON lines pass other members through as they are written`() throws {
        let line = #"{"id":12,"url":"http://h/1","width":1.50,"tags":["a",{"b":null}],"url2":"x","key":"k"}"#
        let row = try #require(try rows(line, .jsonl).first)
        #expect(row.id == "12")
        #expect(row.columns == #""width":1.50,"tags":["a",{"b":null}],"url2":"x","column_key":"k""#)
    }

    @Test(arguments: [
        ("[1,\r2]", "[1,2]"), ("{ \"a b\" :\t[ ] }", "{\"a b\":[]}"), (#""x \" y""#, #""x \" y""#),
        (#""\ud800""#, #""\ufffd""#),
        (
            #"["\ud83d\ude00 \\ud800\udc00x\ud800\ud83d\ude00"]"#,
            #"["\ud83d\ude00 \\ud800\ufffdx\ufffd\ud83d\ude00"]"#
        ),
    ])
    func `passed members have no white space between tokens and no half of a surrogate pair`(
        value: String, passed: String
    ) throws {
        let row = try #require(try rows("{\"url\":\"u\",\"x\": \(value) }", .jsonl).first)
        #expect(row.columns == "\"x\":\(passed)" && row.problem == nil)
    }

    @Test(arguments: [#"\ud800"#, #"a\udc00b"#])
    func `an id with half of a surrogate pair is a bad row`(id: String) throws {
        let lines = "{\"url\":\"u\",\"id\":\"\(id)\"}\n{\"url\":\"u\",\"id\":\"\\ud83d\\ude00\"}"
        let rows = try rows(lines, .jsonl)
        #expect(rows.map(\.id) == [nil, "😀"])
        #expect(rows.map { $0.problem == nil } == [false, true])
    }

    @Test(arguments: 50...70, ["[]", "{}"])
    func `a row that is nested deeply is bad, or its result is read back`(depth: Int, brackets: String) throws {
        let (open, close) = brackets == "[]" ? ("[", "]") : ("{\"a\":", "}")
        let value = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        let row = try #require(try rows("{\"url\":\"u\",\"x\":\(value)}\n{\"url\":\"u\"}", .jsonl).first)
        #expect((row.problem == nil) == (depth < JSONMembers.maxRowDepth))
        var result = RowResult(row, .ok)
        (result.bytes, result.sha256, result.member) = (1, "0", "m")
        var line: [UInt8] = []
        result.write(to: &line)
        #expect(ResultLine(line.dropLast()) != nil)
    }

    @Test(arguments: [
        "{", "[]", "{\"url\":}", "{\"url\":\"a\"}x", "{\"url\":\"\\x\"}", "{\"url\":\"a\",}",
        "{\"a\":01,\"url\":\"b\"}",
        "{\"a\":{\"url\":\"b\"}}", "{\"url\":7}", "{\"url\":null}",
        "{\"a\":" + String(repeating: "[", count: 100) + "}",
    ])
    func `an invalid line is a row with a problem`(line: String) throws {
        let rows = try rows(line + "\n{\"url\":\"http://h/2\"}", .jsonl)
        #expect(rows.count == 2)
        #expect(rows[0].problem != nil)
        #expect(rows[1].problem == nil)
        #expect(rows.map(\.number) == [0, 1])
    }

    @Test func `columns are found in any letter case, and by the names given`() throws {
        #expect(try rows("URL,TEXT\nhttp://h/1,a", .csv).first?.url == "http://h/1")
        let columns = ManifestColumns(url: "link", id: "sha", requiresID: true, name: "file")
        let row = try #require(try rows("sha\tfile\tlink\turl\n1\ta\thttp://h/1\tz", .tsv, columns).first)
        #expect((row.url, row.id, row.name) == ("http://h/1", "1", "a"))
        #expect(row.columns == #""column_url":"z""#)
        let object = try rows(#"{"sha":"1","file":"a","link":"http://h/1"}"#, .jsonl, columns).first
        #expect(object?.id == "1" && object?.name == "a")
    }

    @Test func `columns with equal names get numbers`() throws {
        let row = try #require(rows("url,a,a,a.1,a,row,column_row\nhttp://h/1,1,2,3,4,5,6\n", .csv).first)
        #expect(
            row.columns
                == #""a":"1","a.2":"2","a.1":"3","a.3":"4","column_row":"5","column_row.1":"6""#)
    }

    @Test func `a missing column is an error that names those there are`() throws {
        let error = #expect(throws: ManifestReader.Fault.self) { try rows("a,b\n1,2", .csv) }
        #expect(error?.message.contains("\"url\"") == true && error?.message.contains("a, b") == true)
        let columns = ManifestColumns(id: "sha", requiresID: true)
        #expect(throws: ManifestReader.Fault.self) { try rows("url\nx", .tsv, columns) }
        #expect(throws: ManifestReader.Fault.self) { try rows("url\nx", .tsv, ManifestColumns(name: "n")) }
        let lines = #"{"url":"http://h/1"}"# + "\n" + #"{"url":"http://h/2","sha":"2"}"#
        #expect(try rows(lines, .jsonl, columns).first?.problem == "the row has no id")
    }

    @Test(arguments: [
        (ManifestColumns(url: "link"), "has a column \"link\": name one of a, b with --url-column"),
        (
            ManifestColumns(url: "a", id: "sha", requiresID: true),
            "has a column \"sha\": name one of b with --id-column"
        ),
        (ManifestColumns(url: "b", name: "n"), "has a column \"n\": name one of a with --name-column"),
    ])
    func `a column that no row of JSON lines has is an error before any row`(columns: ManifestColumns, words: String)
        throws
    {
        let line = #"{"a":"http://h/1","b":"http://h/2"}"# + "\n"
        for (count, shown) in [(3, 3), (1000, 1000), (1001, 1000)] {
            let text = String(repeating: line, count: count)
            for piece in [10_000_000, 1000] {
                let error = #expect(throws: ManifestReader.Fault.self) { try rows(text, .jsonl, columns, piece: piece) }
                #expect(error?.message == "none of the first \(shown) rows \(words)")
            }
        }
        var reader = ManifestReader(.jsonl, columns)
        reader.append(Array(line.utf8))
        #expect(try reader.next() == nil)
    }

    @Test(arguments: [0, 1, 500, 999])
    func `a column that one of the first rows has is not missing, and no row is lost`(before: Int) throws {
        let columns = ManifestColumns(id: "sha", requiresID: true)
        let start = String(repeating: "{\"url\":\"u\"}\n", count: before)
        let rows = try rows(start + "{\"sha\":\"1\"}\n{\"url\":\"v\",\"sha\":\"2\"}\nx", .jsonl, columns, piece: 100)
        #expect(rows.map(\.number) == Array(0..<Int64(before + 3)))
        let problems = ["the row has no URL", nil, "line \(before + 3): not a JSON object"]
        #expect(rows.dropFirst(before).map(\.problem) == problems)
    }

    @Test func `a manifest without any JSON object is an error, and an empty one has no rows`() throws {
        let error = #expect(throws: ManifestReader.Fault.self) { try rows("[\n{\n\"url\":\n", .jsonl) }
        #expect(error?.message == "none of the first 3 rows is a JSON object: state the format with --manifest-format")
        #expect(try rows("\n \n", .jsonl).isEmpty && rows("", .jsonl).isEmpty)
    }

    @Test(arguments: ["http://h/1", "http://h/1,2,3", "\"http://h/1,2", "\"http://h/1\"x,2", "htt\"p,2", ",2"])
    func `an invalid CSV record is a row with a problem`(record: String) throws {
        let rows = try rows("url,a\nhttp://h/0,1\n\(record)", .csv)
        #expect(rows.count == 2)
        #expect(rows.last?.problem != nil)
    }

    @Test func `a problem names the line, counted from 1 with the header and blank lines`() throws {
        #expect(try rows("{\"url\":\"u\"}\n\n{", .jsonl).last?.problem == "line 3: not a JSON object")
        #expect(try rows("url\ta\nu\t1\nv", .tsv).last?.problem == "line 3: 1 fields, but the header has 2")
        // The second record begins in line 2 and ends in line 3.
        #expect(try rows("url,a\nu,\"1\n2\"\nv", .csv).last?.problem == "record 3: 1 fields, but the header has 2")
    }

    @Test func `a record that is too long is one bad row`() throws {
        let long = String(repeating: "x", count: 3 << 20)
        let rows = try rows("http://h/1\n\(long)\nhttp://h/2\n", .list, piece: 100_000)
        #expect(rows.map { $0.problem == nil } == [true, false, true])
    }

    @Test func `bytes that are not UTF-8 are a bad row`() throws {
        var reader = ManifestReader(.list)
        reader.append([0x68, 0xFF, 0x0A, 0x68, 0x0A])
        #expect(try reader.next()?.problem != nil)
        #expect(try reader.next()?.url == "h")
    }

    @Test func `a comment that is not UTF-8 is not a row`() throws {
        var reader = ManifestReader(.list)
        reader.append([0x20, 0x23, 0xFF, 0x0A, 0x68, 0x0A])
        let row = try #require(try reader.next())
        #expect((row.url, row.number) == ("h", 0))
    }

    @Test(arguments: [
        ("a.jsonl", ManifestFormat.jsonl), ("A.CSV", .csv), ("x.tsv", .tsv), ("x.txt", .list), ("x.parquet", nil),
    ])
    func `the format follows from the name`(path: String, format: ManifestFormat?) {
        #expect(ManifestFormat(path: path) == format)
    }

    @Test func `the format of standard input follows from its first byte`() {
        #expect(ManifestFormat(start: "\n {\"url\"".utf8) == .jsonl)
        #expect(ManifestFormat(start: "http://".utf8) == .list)
        for blank in ["", "\n", "\u{FEFF}\r\n"] { #expect(ManifestFormat(start: blank.utf8) == nil) }
    }

    @Test func `strings are decoded with all escapes`() throws {
        let row = try rows(#"{"url":"a\"\\\/\b\f\n\r\t\u0041\ud83d\ude00\ud800x\udc00"}"#, .jsonl).first
        #expect(row?.url == "a\"\\/\u{8}\u{C}\n\r\tA😀\u{FFFD}x\u{FFFD}")
    }
}

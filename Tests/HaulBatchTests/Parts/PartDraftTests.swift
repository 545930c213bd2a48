import HaulBatch
import Testing

@Suite struct PartDraftTests {
    private func result(_ number: Int64, bytes: Int64, columns: String = "") -> RowResult {
        var result = RowResult(ManifestRow(number: number, url: "http://h/\(number)", columns: columns), .ok)
        result.bytes = bytes
        result.sha256 = "00"
        return result
    }

    @Test func `places in a tar follow each other, and resume continues behind them`() throws {
        var draft = PartDraft(PartName(shard: 0, part: 0), .tar, modified: 0)
        var tar: [UInt8] = []
        var lines: [ResultLine] = []
        for size in [0, 1, 512, 1000] {
            var result = result(Int64(size), bytes: Int64(size))
            let placement = draft.place(&result, key: "k\(size)", ending: "bin")
            #expect(result.offset == Int64(tar.count + placement.head.count))
            tar += placement.head + Array(repeating: 7, count: size) + placement.tail
            #expect(result.end == Int64(tar.count))
            #expect(tar.count % 512 == 0)
            var bytes: [UInt8] = []
            result.write(to: &bytes)
            lines.append(try #require(ResultLine(bytes.dropLast())))
            var resumed = PartDraft(PartName(shard: 0, part: 0), .tar, modified: 0)
            resumed.resume(lines)
            #expect(resumed == draft)
        }
    }

    @Test func `two rows with one key get two names`() {
        var draft = PartDraft(PartName(shard: 0, part: 0), .tar, modified: 0)
        var (one, two) = (result(1, bytes: 1), result(2, bytes: 1))
        _ = draft.place(&one, key: "k", ending: "jpg")
        _ = draft.place(&two, key: "k", ending: "jpg")
        #expect(one.member == "k.jpg" && two.member == "k-2.jpg")
    }

    @Test(
        arguments: [PartFormat.tar, .files],
        [["x-2", "x", "x"], ["x", "x", "x-1"], ["x", "x", "x-1", "x-1", "x", "x-4"], ["dQw1", "DqW1", "DQW1-1"]])
    func `names are unique in a part, whatever rows are called`(format: PartFormat, names: [String]) throws {
        var draft = PartDraft(PartName(shard: 0, part: 0), format, modified: 0)
        var keys: [String] = []
        var lines: [ResultLine] = []
        for (number, name) in names.enumerated() {
            var result = result(Int64(number), bytes: 1)
            let placement = draft.place(&result, key: name, ending: "jpg")
            let key = PartDraft.key(of: try #require(result.member))
            let json = placement.description.map(PartDraft.key) ?? key
            #expect(json == key && (key == name || key.hasPrefix("\(name)-\(number)")))
            keys.append(key)
            var bytes: [UInt8] = []
            result.write(to: &bytes)
            lines.append(try #require(ResultLine(bytes.dropLast())))
        }
        // On a file system that ignores the letter case as well.
        #expect(Set(keys.map { $0.lowercased() }).count == names.count, "\(keys)")
        // The same names are taken after a kill.
        var resumed = PartDraft(PartName(shard: 0, part: 0), format, modified: 0)
        resumed.resume(lines)
        #expect(resumed == draft)
    }

    @Test func `a folder has at most 1,000 files`() {
        var draft = PartDraft(PartName(shard: 0, part: 0), .files, modified: 0)
        var folders: [String: Int] = [:]
        for number in 0..<1201 {
            var result = result(Int64(number), bytes: 1)
            let placement = draft.place(&result, key: "\(number)", ending: "jpg")
            folders[placement.folder ?? "", default: 0] += 2
            #expect(result.member?.hasPrefix(placement.folder ?? "?") == true)
            #expect(placement.description == "\(placement.folder ?? "")/\(number).json")
        }
        #expect(folders == ["000": 1000, "001": 1000, "002": 402])
    }

    @Test func `the description has the columns of the row`() {
        var draft = PartDraft(PartName(shard: 0, part: 0), .files, modified: 0)
        var result = result(5, bytes: 3, columns: #""caption":"a""#)
        result.mediaType = "image/png"
        let placement = draft.place(&result, key: "k", ending: "png")
        #expect(
            String(decoding: placement.tail, as: UTF8.self)
                == #"{"key":"k","id":5,"row":5,"url":"http://h/5","final_url":null,"media_type":"image/png","bytes":3,"#
                + #""sha256":"00","caption":"a"}"#)
    }

    @Test(arguments: [
        ("cat", "cat"), ("a-b_C9", "a-b_C9"),
    ])
    func `a plain name is its own key`(name: String, key: String) {
        #expect(MemberKey.key(of: ManifestRow(number: 1, url: "u", id: name)) == key)
        #expect(MemberKey.key(of: ManifestRow(number: 1, url: "u", name: name)) == key)
    }

    @Test(arguments: ["a.b", "a/b", "../x", "__a__", "-a", "ä", " ", String(repeating: "x", count: 500), "a\u{0}b"])
    func `any other name becomes a valid key that no other name has`(name: String) {
        let key = MemberKey.key(of: ManifestRow(number: 1, url: "u", id: name))
        #expect(key.utf8.allSatisfy { $0 < 0x80 })
        #expect(!key.contains(".") && !key.contains("/") && !key.hasPrefix("_") && !key.hasPrefix("-"))
        #expect((1...140).contains(key.utf8.count))
        #expect(key != MemberKey.key(of: ManifestRow(number: 1, url: "u", id: name + "!")))
    }

    @Test func `a row without an id is named by its number`() {
        #expect(MemberKey.key(of: ManifestRow(number: 17, url: "u")) == "000000017")
    }
}

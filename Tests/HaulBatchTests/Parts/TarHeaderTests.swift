import HaulBatch
import Testing

@Suite struct TarHeaderTests {
    /// Reads all files of a tar.
    private func files(_ tar: [UInt8]) throws -> [(name: String, content: [UInt8])] {
        var walk = TarWalk()
        var files: [(String, [UInt8])] = []
        while true {
            let start = Int(walk.position)
            switch try walk.read(tar[start..<min(tar.count, start + TarHeader.block)]) {
            case .end: return files
            case .extend(let offset, let size): try walk.extend(tar[Int(offset)..<Int(offset + size)])
            case .file(let name, let offset, let size):
                files.append((name, Array(tar[Int(offset)..<Int(offset + size)])))
            }
        }
    }

    private func member(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        TarHeader(name: name, size: Int64(content.count), modified: 1_700_000_000).write(to: &bytes)
        bytes += content
        return bytes + Array(repeating: 0, count: TarHeader.padding(Int64(content.count)))
    }

    @Test(arguments: [0, 1, 511, 512, 513, 1024, 70_000])
    func `a file of any size is read back`(size: Int) throws {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let found = try files(member("a.bin", content) + member("b", [1]) + TarHeader.end)
        #expect(found.map(\.name) == ["a.bin", "b"])
        #expect(found[0].content == content)
    }

    @Test(arguments: [1, 99, 100, 101, 200])
    func `a name of any length is read back`(length: Int) throws {
        let name = String(repeating: "n", count: length)
        let found = try files(member(name, [1, 2, 3]) + member("é", []) + TarHeader.end)
        #expect(found.map(\.name) == [name, "é"])
    }

    @Test func `a size beyond 8 GiB is in a pax record`() throws {
        var bytes: [UInt8] = []
        let size: Int64 = 0o77_777_777_777 + 5
        TarHeader(name: "big", size: size, modified: 0).write(to: &bytes)
        #expect(bytes.count == 3 * TarHeader.block)
        var walk = TarWalk()
        guard case .extend(let offset, let length) = try walk.read(bytes[..<512]) else {
            Issue.record("no pax header")
            return
        }
        try walk.extend(bytes[Int(offset)..<Int(offset + length)])
        #expect(try walk.read(bytes[1024...]) == .file(name: "big", offset: 1536, size: size))
        #expect(walk.position == 1536 + size + Int64(TarHeader.padding(size)))
    }

    @Test func `every changed byte of a header is found`() throws {
        let header = Array(member("a.jpg", [1]).prefix(512))
        for index in header.indices {
            var changed = header
            changed[index] ^= 0x40
            var walk = TarWalk()
            // Bytes of the stored checksum behind its digits mean nothing.
            if (154...155).contains(index) { continue }
            #expect(throws: TarWalk.Fault.self) { try walk.read(changed[...]) }
        }
    }

    @Test func `a tar without its end is not whole`() {
        let tar = member("a", [1])
        #expect(throws: TarWalk.Fault.self) { try files(tar) }
        #expect(throws: TarWalk.Fault.self) { try files(Array((tar + tar).dropLast(600))) }
    }

    @Test(arguments: ["", "5 a=b\n", "99 path=x\n", "x path=y\n", "0 \n", "3 \n"])
    func `a pax record that is not valid does not trap`(text: String) {
        var walk = TarWalk()
        _ = try? walk.extend(Array(text.utf8)[...])
    }

    @Test(arguments: [Int64.max, Int64.max - 1024, 1 << 62 + 1, -1, -512, .min])
    func `a size that no file has is a fault`(size: Int64) throws {
        var walk = TarWalk()
        let record = " size=\(size)\n"
        // Its own two digits are part of the length.
        try walk.extend(Array("\(record.utf8.count + 2)\(record)".utf8)[...])
        #expect(throws: TarWalk.Fault.self) { try walk.read(member("a", [1])[..<512]) }
        #expect(walk.position == 0)
    }

    @Test func `the header is ustar`() {
        let header = member("a.jpg", [1])
        #expect(header[257..<265].elementsEqual("ustar\u{0}00".utf8))
        #expect(header[156] == UInt8(ascii: "0"))
        #expect(header[124..<136].elementsEqual("00000000001\u{0}".utf8))
    }
}

import HaulTestData
import Testing

@testable import HaulTesting

struct GzipTests {
    @Test func theKnownChecksumStandsBehindTheBytes() {
        let encoded = Gzip.encode(Array("123456789".utf8))
        #expect(encoded.prefix(4) == [0x1F, 0x8B, 8, 0])
        // 0xCBF43926 is the check value of CRC-32.
        #expect(encoded.suffix(8) == [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0])
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 200_000])
    func theStoredBlocksHoldTheBytes(_ size: Int) {
        let bytes = TestBytes.bytes(seed: 1, range: 0..<Int64(size))
        #expect(decode(Gzip.encode(bytes)) == bytes)
    }
}

/// Takes the stored blocks out of a gzip: enough for what the server makes.
func decode(_ gzip: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var place = 10
    while place + 5 <= gzip.count {
        let count = Int(gzip[place + 1]) | Int(gzip[place + 2]) << 8
        let inverse = Int(gzip[place + 3]) | Int(gzip[place + 4]) << 8
        guard count ^ inverse == 0xFFFF, place + 5 + count + 8 <= gzip.count else { return nil }
        bytes += gzip[(place + 5)..<(place + 5 + count)]
        if gzip[place] == 1 { return place + 5 + count + 8 == gzip.count ? bytes : nil }
        place += 5 + count
    }
    return nil
}

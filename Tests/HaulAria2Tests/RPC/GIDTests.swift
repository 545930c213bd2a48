import HaulAria2
import HaulCore
import HaulTestData
import Testing

@Suite("GIDs")
struct GIDTests {
    @Test("the number of a download gives its identity, and the identity the number")
    func bijection() {
        var seen: Set<GID> = []
        for number in Array(1...2000) + [Int64.max, 1 << 32, 1 << 62] {
            let id = DownloadID(rawValue: number)
            #expect(GID(id).id == id)
            #expect(seen.insert(GID(id)).inserted)
        }
        // Those of neighbours differ in the digits that the console shows.
        #expect(Set((1...1000).map { GID(DownloadID(rawValue: $0)).short }).count == 1000)
    }

    @Test("16 digits are one; 0, fewer, more, and other letters are none")
    func parsing() {
        #expect(GID("00000000000000Af")?.description == "00000000000000af")
        for text in [
            "", "0000000000000000", "1", "00000000000000000001", "000000000000000g", "+000000000000001",
            "ä00000000000001",
        ] {
            #expect(GID(text) == nil)
        }
        for text in ["1", "aB", "0123456789abcdef"] { #expect(GID.isPrefix(text)) }
        for text in ["", "x", "-1", " 1", "0123456789abcdef0"] { #expect(!GID.isPrefix(text)) }
    }

    @Test("it stands in the key of a download that was added so")
    func key() {
        var generator = SeededGenerator(seed: 1)
        let gid = GID.random(using: &generator)
        #expect(GID(key: gid.key) == gid)
        #expect(GID(key: "aria2:x") == nil)
        #expect(GID(key: "http://a/ file:/b") == nil)
    }
}

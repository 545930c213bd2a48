import Testing

@testable import HaulStore

/// When the write-ahead log is moved into the file.
@Suite struct CheckpointTests {
    @Test(
        arguments: [
            (pages: 7_999, available: nil, move: nil), (8_000, nil, .keepingSpace), (8_000, 1 << 40, .keepingSpace),
            // A small disk: the log takes more than half of what is left.
            (3_000, 6_000 * 4096, nil), (3_000, 6_000 * 4096 - 1, .returningSpace), (16, 0, .returningSpace),
            (15, 0, nil), (9_000, 0, .returningSpace),
        ] as [(pages: Int, available: Int64?, move: Catalogue.CheckpointInterval.Move?)])
    func theLogIsMoved(pages: Int, available: Int64?, move: Catalogue.CheckpointInterval.Move?) {
        #expect(Catalogue.CheckpointInterval.move(pages: pages, limit: 8_000) { available } == move)
    }

    @Test func theDiskIsNotLookedAtWhileTheLogIsShort() {
        var looks = 0
        for pages in [0, 8, 15] {
            _ = Catalogue.CheckpointInterval.move(pages: pages, limit: 8_000) {
                looks += 1
                return 0
            }
        }
        #expect(looks == 0)
    }
}

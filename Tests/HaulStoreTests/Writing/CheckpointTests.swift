import Testing

@testable import HaulStore

/// When the write-ahead log is moved into the file.
@Suite struct CheckpointTests {
    @Test(
        arguments: [
            (pages: 7_999, available: nil, isDue: false), (8_000, nil, true), (8_000, 1 << 40, true),
            // A small disk: the log takes more than is left.
            (3_000, 3_000 * 4096, false), (3_000, 3_000 * 4096 - 1, true), (256, 0, true), (255, 0, false),
        ] as [(pages: Int, available: Int64?, isDue: Bool)])
    func theLogIsMoved(pages: Int, available: Int64?, isDue: Bool) {
        #expect(Catalogue.CheckpointInterval.isDue(pages: pages, limit: 8_000) { available } == isDue)
    }

    @Test func theDiskIsNotLookedAtWhileTheLogIsShort() {
        var looks = 0
        for pages in [0, 100, 255] {
            _ = Catalogue.CheckpointInterval.isDue(pages: pages, limit: 8_000) {
                looks += 1
                return 0
            }
        }
        #expect(looks == 0)
    }
}

import Testing

@testable import HaulTransportHTTP

@Suite("Reads share their memory")
struct ReadShareTests {
    @Test("few connections have what was asked for, many share 16 MiB, and no read is tiny")
    func shares() {
        for asked in [4 << 10, 100_000, 1 << 20] {
            var last = Int.max
            for open in 0..<1000 {
                let share = HTTPTransportConfiguration.share(of: asked, beside: open)
                #expect(share <= last && share <= asked && share >= min(asked, 128 << 10))
                #expect(share == asked || share.nonzeroBitCount == 1)
                #expect(share * (open + 1) <= 16 << 20 || share <= 128 << 10 || share == asked && open < 16)
                last = share
            }
        }
        #expect(HTTPTransportConfiguration.share(of: 1 << 20, beside: 15) == 1 << 20)
        #expect(HTTPTransportConfiguration.share(of: 1 << 20, beside: 16) == 512 << 10)
    }
}

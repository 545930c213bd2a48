import Testing

@testable import HaulCore

@Suite struct IPAddressTests {
    @Test(
        arguments: [
            ("1.2.3.4", [1, 2, 3, 4]), ("255.0.0.255", [255, 0, 0, 255]), ("::", [UInt8](repeating: 0, count: 16)),
            ("[::1]", [UInt8](repeating: 0, count: 15) + [1]),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("fe80::a:BC", [0xFE, 0x80] + [UInt8](repeating: 0, count: 10) + [0, 0x0A, 0, 0xBC]),
            ("::ffff:1.2.3.4", [UInt8](repeating: 0, count: 10) + [255, 255, 1, 2, 3, 4]),
            ("1::", [0, 1] + [UInt8](repeating: 0, count: 14)),
            ("1:2:3:4:5:6:1.2.3.4", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4]),
        ] as [(String, [UInt8])])
    func reads(text: String, bytes: [UInt8]) {
        #expect(IPAddress(text)?.bytes == bytes)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.", "a.b.c.d", "host", ":", ":::", "1:2",
        "[1.2.3.4", "::1%eth0",
        "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "1:2:3:4:5:6:7::8:9", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3",
    ])
    func refuses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func sharesExactlyTheBitsThatAreTheSame() throws {
        let one = try #require(IPAddress("10.255.0.1"))
        for bit in 0..<32 {
            var bytes = one.bytes
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            let other = try #require(IPAddress(bytes.map(String.init).joined(separator: ".")))
            for count in 0...32 { #expect(one.shares(bits: count, with: other) == (count <= bit)) }
        }
        #expect(one.shares(bits: 32, with: one) && !one.shares(bits: 33, with: one) && !one.shares(bits: -1, with: one))
        #expect(try !one.shares(bits: 0, with: #require(IPAddress("::"))))
    }

    @Test func survivesAnyText() {
        var fuzz = FuzzText(seed: 1)
        for _ in 0..<20_000 {
            let text = fuzz.mixture(of: ["1", "255", "256", ".", ":", "::", "[", "]", "f", "00", "ffff", "%", "é"])
            guard let address = IPAddress(text) else { continue }
            #expect(address.bytes.count == 4 || address.bytes.count == 16)
        }
    }
}

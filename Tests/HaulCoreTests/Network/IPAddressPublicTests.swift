import HaulCore
import Testing

@Suite("Public addresses")
struct IPAddressPublicTests {
    @Test(
        "Addresses of the Internet are public, the ones beside each range included",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1",
            "2001:200::1",
            "fbff::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "::8.8.8.8",
        ])
    func publicOnes(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(
        "Those of this machine, of private networks, links, groups and documentation are not, nor what stands for one",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1",
            "192.168.0.0",
            "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
            "255.255.255.255", "::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1",
            "2001:db8::1",
            "100::1", "64:ff9b:1::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::192.168.0.1", "2002:a00:1::1",
            "2002:7f00:1::", "::127.0.0.1", "::ffff:0:0",
        ])
    func others(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic == false)
    }

    @Test("An address has 4 or 16 bytes")
    func bytes() {
        for count in 0...20 {
            #expect((IPAddress(bytes: [UInt8](repeating: 1, count: count)) != nil) == (count == 4 || count == 16))
        }
    }
}

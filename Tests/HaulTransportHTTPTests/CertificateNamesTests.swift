import NIOCore
import Testing

@testable import HaulTransportHTTP

@Suite struct CertificateNamesTests {
    @Test(arguments: [
        ("example.org", true), ("EXAMPLE.org.", true), ("www.example.net", true), ("example.net", false),
        ("a.b.example.net", false),
        (".example.net", false), ("xexample.org", false), ("example.org.evil.test", false), ("", false),
        ("127.0.0.1", true), ("127.0.0.2", false),
        ("[::1]", true), ("[::2]", false), ("127.1", false), ("*.example.net", true),
    ])
    func namesBesideAnAddress(host: String, isCovered: Bool) throws {
        let addresses = try ["127.0.0.1", "::1"].map { try SocketAddress(ipAddress: $0, port: 0) }
        let names = CertificateNames(dns: ["Example.ORG", "*.example.net", "", "*."], addresses: addresses)
        #expect(names.cover(host: host) == isCovered)
    }

    @Test func withoutAddressNoNameIsDoubted() throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        #expect(CertificateNames(dns: [], addresses: []).cover(host: "anything"))
        #expect(!CertificateNames(dns: [], addresses: []).cover(host: "127.0.0.1"))
        #expect(!CertificateNames(dns: [], addresses: [address]).cover(host: "anything"))
    }

    @Test(arguments: [("h", "h"), ("h:1", "h"), ("[::1]", "[::1]"), ("[::1]:80", "[::1]"), ("", ""), (":", "")])
    func ports(value: String, host: String) {
        #expect(CertificateNames.hostWithoutPort(value) == host)
    }
}

import Testing

@testable import HaulTransportHTTP

@Suite struct CertificateNamesTests {
    @Test(arguments: [
        ("example.org", true), ("EXAMPLE.org.", true), ("www.example.net", true), ("example.net", false),
        ("a.b.example.net", false),
        (".example.net", false), ("xexample.org", false), ("example.org.evil.test", false), ("", false),
        ("127.0.0.1", true),
        ("[::1]", true), ("127.1", false), ("*.example.net", true),
    ])
    func namesBesideAnAddress(host: String, isCovered: Bool) {
        let names = CertificateNames(dns: ["Example.ORG", "*.example.net", "", "*."], hasAddress: true)
        #expect(names.cover(host: host) == isCovered)
    }

    @Test func withoutAddressNothingIsDoubted() {
        #expect(CertificateNames(dns: [], hasAddress: false).cover(host: "anything"))
        #expect(!CertificateNames(dns: [], hasAddress: true).cover(host: "anything"))
    }

    @Test(arguments: [("h", "h"), ("h:1", "h"), ("[::1]", "[::1]"), ("[::1]:80", "[::1]"), ("", ""), (":", "")])
    func ports(value: String, host: String) {
        #expect(CertificateNames.hostWithoutPort(value) == host)
    }
}

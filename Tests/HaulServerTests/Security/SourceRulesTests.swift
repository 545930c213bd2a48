import HaulCore
import HaulServer
import Testing

@Suite("The rules for sources")
struct SourceRulesTests {
    private func refusal(_ url: String, _ rules: SourceRules) -> DownloadError? {
        var spec = DownloadSpec(url: url, destination: .folder(path: "/d"))
        do throws(DownloadError) {
            try rules.apply(to: &spec)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Only http and https are fetched",
        arguments: ["ftp://h/a", "sftp://h/a", "ftps://h/a", "file:///etc/passwd", "data:,x", "gopher://h/", "", "h/a"])
    func schemes(url: String) {
        for allowed in [true, false] {
            #expect(refusal(url, SourceRules(ownPort: nil, allowsPrivateAddresses: allowed))?.code == .invalidRequest)
        }
    }

    @Test(
        "Private addresses are refused where they are not allowed",
        arguments: [
            "http://127.0.0.1/", "http://localhost/", "http://LOCALHOST:80/", "http://a.localhost/", "http://10.1.2.3/",
            "http://192.168.0.1/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "https://[fe80::1]/",
            "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/",
        ])
    func privateAddresses(url: String) {
        #expect(refusal(url, SourceRules(ownPort: nil, allowsPrivateAddresses: false))?.code == .invalidRequest)
        #expect(refusal(url, SourceRules(ownPort: nil, allowsPrivateAddresses: true)) == nil)
    }

    @Test(
        "The daemon's own port is refused to everyone",
        arguments: ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.9.9.9"])
    func ownPort(host: String) {
        let rules = SourceRules(ownPort: 7373, allowsPrivateAddresses: true)
        #expect(refusal("http://\(host):7373/x", rules)?.code == .invalidRequest)
        #expect(refusal("http://\(host):7374/x", rules) == nil)
    }

    @Test("Mirrors keep to the same rules, and the transport is told")
    func mirrors() throws {
        let rules = SourceRules(ownPort: nil, allowsPrivateAddresses: false)
        var spec = DownloadSpec(url: "http://example.org/a", destination: .folder(path: "/d"))
        try rules.apply(to: &spec)
        #expect(spec.publicAddressesOnly)
        // The setting is asked again when the download starts; only a local client's downloads don't depend on it.
        for isLocal in [false, true] {
            try SourceRules(ownPort: nil, allowsPrivateAddresses: true, isLocal: isLocal).apply(to: &spec)
            #expect(spec.publicAddressesOnly == !isLocal)
        }
        spec.mirrors = [DownloadSpec.Mirror(url: "http://10.0.0.1/a")]
        #expect(throws: DownloadError.self) { try rules.apply(to: &spec) }
    }
}

import HaulCore
import Testing

@Suite("A download that moves to another URL")
struct MovedSpecTests {
    private static func spec() -> DownloadSpec {
        var spec = DownloadSpec(url: "https://a.example/file?sig=1", destination: .file(path: "/tmp/f"))
        spec.user = "me"
        spec.password = .text("secret")
        spec.bearerToken = .text("token")
        spec.headers = [.init(name: "X-Token", value: "t"), .init(name: "Accept-Language", value: "de")]
        spec.clientCertificatePath = "/c.pem"
        spec.clientKeyPath = "/k.pem"
        return spec
    }

    @Test("keeps its credentials at the same origin")
    func sameOrigin() throws {
        var spec = Self.spec()
        try spec.move(to: "https://A.example:443/other?sig=2")
        var expected = Self.spec()
        expected.url = "https://A.example:443/other?sig=2"
        #expect(spec == expected)
    }

    @Test(
        "leaves them behind at another one",
        arguments: ["http://a.example/file", "https://a.example:8443/file", "https://b.example/file"])
    func otherOrigin(url: String) throws {
        var spec = Self.spec()
        try spec.move(to: url)
        var expected = DownloadSpec(url: url, destination: .file(path: "/tmp/f"))
        expected.headers = [.init(name: "Accept-Language", value: "de")]
        #expect(spec == expected)
    }

    @Test("stays as it was if the URL can't be fetched")
    func invalid() {
        var spec = Self.spec()
        #expect(throws: DownloadError.self) { try spec.move(to: "ht!tp:x") }
        #expect(spec == Self.spec())
    }
}

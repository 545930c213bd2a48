import HaulCore
import Testing

@testable import HaulCLI

@Suite struct MetalinkSecretsTests {
    private static func template() -> DownloadSpec {
        var template = DownloadSpec(url: "", destination: .folder(path: "."))
        template.headers = [.init(name: "X-Key", value: "hunter2"), .init(name: "User-Agent", value: "me")]
        template.user = "me"
        template.password = .text("hunter2")
        template.bearerToken = .text("hunter2")
        template.clientCertificatePath = "c.pem"
        template.clientKeyPath = "k.pem"
        return template
    }

    private static func entry(_ url: String) -> DownloadSpec { DownloadSpec(url: url, destination: .file(path: "f")) }

    @Test(arguments: ["https://other/f", "http://h/f", "https://h:444/f"])
    func whoAsksIsNotToldToHostsThatADocumentNames(url: String) throws {
        let spec = Self.template().like(Self.entry(url), from: try SourceURL(parsing: "https://h/x.meta4"))
        #expect(spec.headers.map(\.name) == ["User-Agent"])
        #expect(spec.user == nil && spec.password == nil && spec.bearerToken == nil)
        #expect(spec.clientCertificatePath == nil && spec.clientKeyPath == nil)
        #expect(spec.isNamedByDocument)
        #expect(spec.url == url && spec.destination == .file(path: "f"))
    }

    @Test(arguments: ["https://h/x.meta4", nil])
    func itIsToldAtHomeAndWhereTheDocumentIsTheUsersOwn(home: String?) throws {
        let home = try home.map { try SourceURL(parsing: $0) }
        let spec = Self.template().like(Self.entry("https://h/f"), from: home)
        #expect(spec.isNamedByDocument == (home == nil))
        #expect(spec.headers == Self.template().headers && spec.user == "me" && spec.password == .text("hunter2"))
    }
}

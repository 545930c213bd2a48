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

    private static let plain = DownloadSpec(url: "", destination: .folder(path: "."))

    @Test(
        "a host that only the document names gets no secrets, whether the document is local or from a server",
        arguments: ["https://other/f", "http://h/f", "https://h:444/f"], ["https://h/x.meta4", nil])
    func stranger(url: String, home: String?) throws {
        let home = try home.map { try SourceURL(parsing: $0) }
        let spec = Self.template().like(Self.entry(url), from: home, granted: Self.plain)
        #expect(spec.headers.map(\.name) == ["User-Agent"])
        #expect(spec.user == nil && spec.password == nil && spec.bearerToken == nil)
        #expect(spec.clientCertificatePath == nil && spec.clientKeyPath == nil)
        #expect(spec.isNamedByDocument)
        #expect(spec.url == url && spec.destination == .file(path: "f"))
    }

    @Test("the document's own origin gets them")
    func home() throws {
        let home = try SourceURL(parsing: "https://h/x.meta4")
        let spec = Self.template().like(Self.entry("https://h/f"), from: home, granted: Self.plain)
        #expect(!spec.isNamedByDocument)
        #expect(spec.headers == Self.template().headers && spec.user == "me" && spec.password == .text("hunter2"))
    }

    @Test("mirrors elsewhere are named by the document, also if its first URL is at its own origin")
    func mirrors() throws {
        let home = try SourceURL(parsing: "https://h/x.meta4")
        for (mirror, isNamed) in [("https://h/g", false), ("http://other/f", true)] {
            var entry = Self.entry("https://h/f")
            entry.mirrors = [.init(url: mirror)]
            let spec = Self.template().like(entry, from: home, granted: Self.plain)
            #expect(spec.isNamedByDocument == isNamed)
            #expect(spec.headers == Self.template().headers && spec.user == "me")
        }
    }

    @Test("a host gets what the user has set for it, and nothing else", arguments: ["https://h/x.meta4", nil])
    func granted(home: String?) throws {
        let home = try home.map { try SourceURL(parsing: $0) }
        var granted = Self.plain
        granted.headers = [.init(name: "X-Key", value: "hunter2")]
        (granted.user, granted.password) = ("me", .text("hunter2"))
        var template = Self.template()
        template.headers.append(.init(name: "X-Other", value: "hunter3"))
        let spec = template.like(Self.entry("https://other/f"), from: home, granted: granted)
        #expect(spec.isNamedByDocument && spec.headers == Self.template().headers)
        #expect(spec.user == "me" && spec.password == .text("hunter2"))
        #expect(spec.bearerToken == nil && spec.clientCertificatePath == nil && spec.clientKeyPath == nil)
        // What is set for all hosts does not take the place of what is set for this one.
        (template.user, template.password, template.headers) = (
            "you", .text("hunter3"), [.init(name: "X-Key", value: "3")]
        )
        let other = template.like(Self.entry("https://other/f"), from: home, granted: granted)
        #expect(other.user == "me" && other.password == .text("hunter2") && other.headers == granted.headers)
    }
}

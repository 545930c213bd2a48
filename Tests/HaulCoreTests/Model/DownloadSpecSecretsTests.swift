import Foundation
import HaulCore
import Testing

@Suite struct DownloadSpecSecretsTests {
    @Test("a spec that is printed shows no secret")
    func printed() {
        var spec = DownloadSpec(url: "https://me:S3CRET@host/a?token=S3CRET", destination: .file(path: "/d/a"))
        spec.headers = [.init(name: "Authorization", value: "S3CRET")]
        #expect("\(spec)" == "https://REDACTED@host/a?token=REDACTED to /d/a")
        #expect(!String(reflecting: spec).contains("S3CRET"))
    }

    @Test(
        arguments: [
            ("https://host/a", nil), ("https://host/a@b?c=d@e", nil), ("https://host/%40", nil), ("no url", nil),
            ("HTTPS://Host/ä#part", nil), ("https://user:pass@host/a", "https://host/a"),
            ("https://user@host/a#x", "https://host/a"), ("https://:pass@Host:443", "https://host/"),
            ("https://@host/a", nil), ("https://u:p%40ss@host/a@b", "https://host/a@b"),
        ] as [(String, String?)])
    func credentialsLeaveTheURL(_ url: String, _ expected: String?) {
        let (spec, lacks) = DownloadSpec(url: url, destination: .folder(path: "/d")).withoutSecrets()
        #expect(spec.url == expected ?? url)
        #expect(lacks == (expected != nil))
    }

    @Test(arguments: ["http://u:S3CRET@[bad/", "ftp://u:S3CRET@host/", "u:S3CRET@host", "http://u:a/S3CRET@host/"])
    func aURLThatCantBeParsedHidesThemToo(_ url: String) {
        let (spec, lacks) = DownloadSpec(url: url, destination: .folder(path: "/d")).withoutSecrets()
        #expect(!spec.url.contains("S3CRET") && lacks)
    }

    @Test(
        arguments: [
            ("Accept", true), ("accept-LANGUAGE", true), ("User-Agent", true), ("Accept-Encoding", true),
            ("Referer", true), ("Authorization", false), ("Cookie", false), ("X-Anything", false), ("", false),
            ("Proxy-Authorization", false), ("Accept-X", false),
        ])
    func onlyHarmlessHeadersKeepTheirValues(_ name: String, _ isKept: Bool) {
        var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/d"))
        spec.headers = [.init(name: name, value: "v"), .init(name: "Accept", value: "*/*")]
        let (stripped, lacks) = spec.withoutSecrets()
        #expect(stripped.headers == [.init(name: name, value: isKept ? "v" : ""), .init(name: "Accept", value: "*/*")])
        #expect(lacks == !isKept)
        #expect(stripped.withoutSecrets().spec == stripped && !stripped.withoutSecrets().lacksSecrets)
        #expect(stripped.stillLacksSecrets(of: stripped))
        var again = stripped
        again.headers = spec.headers
        #expect(again.stillLacksSecrets(of: stripped) == isKept)
    }

    @Test func aRefererWithCredentialsIsNotHarmless() {
        var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/d"))
        spec.headers = [.init(name: "Referer", value: "http://u:p@h/")]
        #expect(spec.withoutSecrets().spec.headers[0].value == "")
        #expect(spec.withoutSecrets().lacksSecrets)
    }

    @Test(
        arguments: [
            (nil, nil, false), (.text("S3CRET"), .missing, true), (.text(""), .missing, false),
            (.file(path: "/p"), .file(path: "/p"), false),
        ] as [(Secret?, Secret?, Bool)])
    func aPasswordIsNotStoredButThePathOfItsFileIs(_ secret: Secret?, _ stored: Secret?, _ isLost: Bool) throws {
        for path in [\DownloadSpec.password, \DownloadSpec.bearerToken] {
            var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/d"))
            spec.user = "me"
            spec[keyPath: path] = secret
            let (stripped, lacks) = spec.withoutSecrets()
            #expect(stripped[keyPath: path] == stored && lacks == isLost && stripped.user == "me")
            #expect(stripped.stillLacksSecrets(of: stripped))
            #expect(spec.stillLacksSecrets(of: stripped) == !isLost)
            // Even if nobody took them out before, they are not written.
            let bytes = try JSONEncoder().encode(spec)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("S3CRET"))
            #expect(try JSONDecoder().decode(DownloadSpec.self, from: bytes) == stripped)
        }
    }

    @Test func pathsAndSchemesAreKept() throws {
        var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/d"))
        spec.user = "me"
        spec.authentication = .digest
        spec.netrcPath = "/n"
        spec.cookiePath = "/c"
        spec.clientCertificatePath = "/cert"
        spec.clientKeyPath = "/key"
        spec.password = .file(path: "/p")
        spec.bearerToken = .file(path: "/t")
        #expect(!spec.withoutSecrets().lacksSecrets && spec.withoutSecrets().spec == spec)
        #expect(try JSONDecoder().decode(DownloadSpec.self, from: JSONEncoder().encode(spec)) == spec)
    }

    @Test func aSecretIsNeverShown() {
        var text = "\(Secret.text("S3CRET")) \([Secret.text("S3CRET")])"
        dump(Secret.text("S3CRET"), to: &text)
        #expect(!text.contains("S3CRET"))
        #expect("\(Secret.file(path: "/p"))" == "file /p")
    }
}

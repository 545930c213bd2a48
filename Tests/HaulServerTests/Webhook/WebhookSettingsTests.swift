import Foundation
import Haul
import HaulCore
import HaulServer
import HaulTesting
import Testing

@Suite("A webhook's settings and secret")
struct WebhookSettingsTests {
    @Test(
        "What can't be posted to is refused, without telling what may be secret",
        arguments: [
            "ftp://h/x", "file:///x", "x", "https://user:hunter2@h/x",
        ])
    func refused(url: String) {
        do {
            _ = try WebhookSettings(url: url)
            Issue.record("\(url) is taken")
        } catch {
            #expect(error.code == .invalidRequest && !error.description.contains("hunter2"))
        }
    }

    @Test("Without more it tells of ends alone")
    func standard() throws {
        #expect(try WebhookSettings(url: "https://h/x?y=1").on == [.completed, .failed])
    }

    /// The example of the specification's own text.
    @Test("It signs as the Standard Webhooks specification has it")
    func known() throws {
        let signature = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("A text that is no base64 behind its mark is the key itself")
    func plain() throws {
        let signature = try WebhookSecret("sixteen letters!").signature(id: "i", timestamp: 7, body: Array("{}".utf8))
        // printf 'i.7.{}' | openssl dgst -sha256 -hmac 'sixteen letters!' -binary | base64
        #expect(signature == "v1,Xq4F9+4DJys+gmMcefwHQDGW3PmbWV90Fdc2P+uHses=")
    }

    @Test(
        "Short and garbled secrets are refused; one is never printed",
        arguments: ["", "short", "whsec_c2hvcnQ=", "whsec_%%%%"])
    func bad(text: String) throws {
        #expect(throws: DownloadError.self) { try WebhookSecret(text) }
        let secret = try WebhookSecret("sixteen letters!")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(![dumped, "\(secret)", String(reflecting: secret)].contains { $0.contains("sixteen") })
    }

    @Test("A secret is the first line of its file")
    func file() throws {
        let folder = try TemporaryFolder()
        try Data("sixteen letters!\nmore\n".utf8).write(to: URL(filePath: folder.path + "/s"))
        let read = try WebhookSecret(path: folder.path + "/s").signature(id: "i", timestamp: 7, body: [])
        #expect(try WebhookSecret("sixteen letters!").signature(id: "i", timestamp: 7, body: []) == read)
        #expect(throws: DownloadError.self) { try WebhookSecret(path: folder.path + "/none") }
    }
}

import Foundation
import HaulCore
import Testing

@Suite("Errors as JSON and as text")
struct DownloadErrorTests {
    @Test("an error with or without a detail is read back", arguments: [nil, DownloadError.Detail.certificateExpired])
    func codable(detail: DownloadError.Detail?) throws {
        let error = DownloadError(.tlsFailed, "it failed", cause: "why", detail: detail)
        let data = try JSONEncoder().encode(error)
        #expect(try JSONDecoder().decode(DownloadError.self, from: data) == error)
        #expect(String(decoding: data, as: UTF8.self).contains("detail") == (detail != nil))
    }

    @Test("an error describes itself, also where only its protocol is known", arguments: [nil, "why"])
    func described(cause: String?) {
        let error: any Error = DownloadError(.tlsFailed, "it failed", cause: cause)
        let expected = cause == nil ? "it failed" : "it failed (why)"
        #expect("\(error)" == expected && error.localizedDescription == expected)
        #expect((error as? any LocalizedError)?.failureReason == cause)
    }

    @Test("a detail of a later version is left out")
    func laterDetail() throws {
        let data = Data(#"{"code":"tlsFailed","message":"it failed","detail":"certificateRevoked"}"#.utf8)
        #expect(try JSONDecoder().decode(DownloadError.self, from: data) == DownloadError(.tlsFailed, "it failed"))
    }
}

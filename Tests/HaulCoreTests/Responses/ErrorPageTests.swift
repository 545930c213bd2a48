import Testing

@testable import HaulCore

@Suite("Pages of 400 Bad Request")
struct ErrorPageTests {
    private static let refusal = ResponseDecision.refuse(DownloadError(.unexpectedStatus, "m"))

    @Test(
        "what servers say there",
        arguments: [
            ("<title>400 The plain HTTP request was sent to HTTPS port</title>", .serverWithTLS),
            ("You're speaking plain HTTP to an SSL-enabled server port.<br />", .serverWithTLS),
            ("Client sent an HTTP request to an HTTPS server.\n", .serverWithTLS),
            ("<title>400 No required SSL certificate was sent</title>", .clientCertificateMissing),
            ("<title>400 The SSL certificate error</title>", .clientCertificateRefused),
        ] as [(String, DownloadError.Detail)])
    func pages(page: String, detail: DownloadError.Detail) {
        guard case .refuse(let error) = ErrorPage.read(Array(page.utf8), Self.refusal) else {
            return #expect(Bool(false))
        }
        #expect(error.detail == detail && error.code == .unexpectedStatus)
        #expect(error.description.hasSuffix(" (it returned 400 Bad Request)"))
    }

    @Test("another page changes nothing", arguments: [[], Array("bad".utf8), [0xFF, 0, 0x80]] as [[UInt8]])
    func others(page: [UInt8]) {
        #expect(ErrorPage.read(page, Self.refusal) == Self.refusal)
        let far = [UInt8](repeating: 0x20, count: ErrorPage.limit) + Array("the SSL certificate error".utf8)
        #expect(ErrorPage.read(far, Self.refusal) == Self.refusal)
    }

    @Test("only the page of a 400 is read")
    func reporting() {
        #expect(ErrorPage.isInformative(Self.refusal, status: 400))
        #expect(!ErrorPage.isInformative(Self.refusal, status: 405))
        #expect(!ErrorPage.isInformative(.denied(status: 403), status: 403))
    }
}

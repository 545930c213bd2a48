import Foundation
import HTTPTypes
import HaulCore
import HaulTransport
import HaulTransportHTTP
import Testing

@Suite struct ClientCertificateTests {
    private static let answers = ["f": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"]

    private func fetch(
        _ server: TLSServer, _ certificate: ClientCertificate?
    ) async throws -> (outcome: TransferOutcome?, text: String) {
        let transport = try HTTPTransport(HTTPTransportConfiguration(caCertificatePath: server.certificate))
        var request = TransferRequest(url: server.url("f"), headers: [:])
        request.clientCertificate = certificate
        let result = await transport.fetch(request)
        await transport.shutdown()
        return result
    }

    @Test func aServerThatAsksIsShownOne() async throws {
        // Its own certificate, which it trusts, is the client's, too.
        let server = try await TLSServer(
            for: "IP:127.0.0.1", answers: Self.answers,
            options: "-Verify 1 -verify_return_error -CAfile certificate.pem")
        let one = ClientCertificate(certificatePath: server.certificate, keyPath: server.key)
        #expect(try await fetch(server, one).text == "hello")
        let both = server.folder.appending(path: "both.pem")
        let parts = try [server.key, server.certificate].map { try Data(contentsOf: URL(filePath: $0)) }
        try (parts[0] + parts[1]).write(to: both)
        #expect(try await fetch(server, ClientCertificate(certificatePath: both.path)).text == "hello")

        let none = try await fetch(server, nil)
        #expect(none.outcome != .complete && none.text.isEmpty)
        // After the handshake of TLS 1.3, the end of the connection may be faster than the alert.
        #expect(none.outcome?.error?.reason == .clientCertificateMissing || none.outcome?.failure == .cut)
        let other = try await TLSServer(for: "IP:127.0.0.1", answers: [:])
        let strange = try await fetch(server, ClientCertificate(certificatePath: other.certificate, keyPath: other.key))
        #expect(strange.outcome != .complete && strange.text.isEmpty)
        #expect(strange.outcome?.error?.reason == .clientCertificateRefused || strange.outcome?.failure == .cut)
        // A connection that was made with a certificate is not for who has none.
        let transport = try HTTPTransport(HTTPTransportConfiguration(caCertificatePath: server.certificate))
        var request = TransferRequest(url: server.url("f"), headers: [:])
        request.clientCertificate = one
        #expect(await transport.fetch(request).outcome == .complete)
        #expect(await transport.fetch(server.url("f")).outcome != .complete)
        await transport.shutdown()
    }

    @Test func aRenewedOneIsUsedForTheNextRequest() async throws {
        let server = try await TLSServer(
            for: "IP:127.0.0.1", answers: Self.answers,
            options: "-Verify 1 -verify_return_error -CAfile certificate.pem")
        let other = try await TLSServer(for: "IP:127.0.0.1", answers: [:])
        let (certificate, key) = (
            server.folder.appending(path: "own.pem"), server.folder.appending(path: "own-key.pem")
        )
        let transport = try HTTPTransport(HTTPTransportConfiguration(caCertificatePath: server.certificate))
        var request = TransferRequest(url: server.url("f"), headers: [:])
        request.clientCertificate = ClientCertificate(certificatePath: certificate.path, keyPath: key.path)
        for (owner, isAccepted) in [(other, false), (server, true)] {
            try Data(contentsOf: URL(filePath: owner.certificate)).write(to: certificate)
            try Data(contentsOf: URL(filePath: owner.key)).write(to: key)
            #expect((await transport.fetch(request).outcome == .complete) == isAccepted)
        }
        // While the next pair is written, the last one is used.
        try Data(contentsOf: URL(filePath: other.certificate)).write(to: certificate)
        #expect(await transport.fetch(request).outcome == .complete)
        await transport.shutdown()
    }

    @Test func filesThatCantBeUsedAreNamed() async throws {
        let server = try await TLSServer(for: "IP:127.0.0.1", answers: Self.answers)
        let other = try await TLSServer(for: "IP:127.0.0.1", answers: [:])
        let absent = server.folder.appending(path: "absent.pem").path
        let empty = server.folder.appending(path: "empty.pem").path
        try Data().write(to: URL(filePath: empty))
        let cases = [
            (ClientCertificate(certificatePath: absent), absent), (ClientCertificate(certificatePath: empty), empty),
            (ClientCertificate(certificatePath: server.key), server.key),
            (ClientCertificate(certificatePath: server.certificate), server.certificate),
            (ClientCertificate(certificatePath: server.certificate, keyPath: absent), absent),
            (ClientCertificate(certificatePath: server.certificate, keyPath: other.key), other.key),
        ]
        for (certificate, path) in cases {
            guard case .failed(let error) = try await fetch(server, certificate).outcome else {
                Issue.record("\(certificate) was taken")
                continue
            }
            #expect(error.kind == .unusable && error.detail.contains(path), "\(error)")
        }
    }
}

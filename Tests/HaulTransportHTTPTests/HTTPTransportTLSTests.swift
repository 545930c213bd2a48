import Foundation
import HaulCore
import HaulTransport
import Testing

@testable import HaulTesting
@testable import HaulTransportHTTP

@Suite struct HTTPTransportTLSTests {
    private static let answers = [
        "whole": "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        "short": "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhello",
        "unchunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ]

    /// Once by AsyncHTTPClient and once over connections of Haul's own.
    private func with(
        _ configuration: HTTPTransportConfiguration, _ body: (HTTPTransport) async throws -> Void
    ) async throws {
        for usesDirectConnections in [false, true] {
            var configuration = configuration
            configuration.usesDirectConnections = usesDirectConnections
            let transport = try HTTPTransport(configuration)
            try await body(transport)
            await transport.shutdown()
        }
    }

    @Test(arguments: [
        ("IP:127.0.0.1", "127.0.0.1", true), ("IP:127.0.0.2", "127.0.0.1", false),
        ("DNS:localhost", "127.0.0.1", false),
        ("DNS:localhost", "localhost", true), ("DNS:elsewhere.test", "localhost", false),
        ("IP:127.0.0.1", "localhost", false),
    ])
    func certificateNames(name: String, host: String, isTrusted: Bool) async throws {
        let server = try await TLSServer(for: name, answers: Self.answers)
        try await with(HTTPTransportConfiguration(caCertificatePath: server.certificate)) { transport in
            let (outcome, text) = await transport.fetch(server.url("whole", host: host))
            if isTrusted {
                #expect(outcome == .complete)
                #expect(text == "hello")
            } else {
                #expect(outcome?.failure == .untrusted, "\(String(describing: outcome))")
                #expect(outcome?.error?.reason == .certificateForOtherHost)
                let shown = name.split(separator: ":").last ?? ""
                #expect(outcome?.error?.detail == "is for \(shown), not for this host")
            }
        }
    }

    @Test func strangersAreUntrustedUnlessInsecure() async throws {
        let server = try await TLSServer(for: "DNS:elsewhere.test", answers: Self.answers)
        try await with(HTTPTransportConfiguration()) { transport in
            for _ in 0..<2 {
                let secure = await transport.fetch(server.url("whole"))
                #expect(secure.outcome?.failure == .untrusted, "\(String(describing: secure.outcome))")
                #expect(secure.outcome?.error?.reason == .certificateSelfSigned)
                // One that is insecure must open no door for the next that isn't.
                let insecure = await transport.fetch(server.url("whole"), insecure: true)
                #expect(insecure.outcome == .complete)
                #expect(insecure.text == "hello")
            }
        }
    }

    @Test("TLS 1.2 is the minimum", arguments: ["-tls1_1", "-tls1_2", "-tls1_3"])
    func versions(option: String) async throws {
        let server = try await TLSServer(
            for: "IP:127.0.0.1", answers: Self.answers, options: "\(option) -cipher ALL:@SECLEVEL=0")
        try await with(HTTPTransportConfiguration()) { transport in
            let outcome = await transport.fetch(server.url("whole"), insecure: true).outcome
            if option == "-tls1_1" {
                #expect(outcome?.error?.kind == .tls)
                #expect(outcome?.error?.detail == "does not support TLS 1.2 or later")
            } else {
                #expect(outcome == .complete)
            }
        }
    }

    @Test("a port without TLS is named, and nothing else of BoringSSL's text is")
    func withoutTLS() async throws {
        try await TransportConformanceServer.run { connection in
            try await connection.send("220 mail ESMTP\r\n")
            while try await connection.request() != nil {}
        } body: { server in
            try await with(HTTPTransportConfiguration()) { transport in
                let error = await transport.fetch(server.url(scheme: "https")).outcome?.error
                #expect(error?.kind == .tls && error?.reason == .serverWithoutTLS)
                #expect(error?.detail == "does not speak TLS at this port")
            }
        }
    }

    @Test(arguments: ["short", "unchunked"])
    func cutOverTLS(path: String) async throws {
        let server = try await TLSServer(for: "IP:127.0.0.1", answers: Self.answers)
        try await with(HTTPTransportConfiguration(caCertificatePath: server.certificate)) { transport in
            let (outcome, text) = await transport.fetch(server.url(path))
            #expect(outcome?.failure == .cut)
            #expect(text == "hello")
        }
    }

    @Test func caCertificatePathIsInsteadOfTheSystems() async throws {
        let server = try await TLSServer(for: "IP:127.0.0.1", answers: Self.answers)
        let other = try await TLSServer(for: "IP:127.0.0.1", answers: Self.answers)
        try await with(HTTPTransportConfiguration(caCertificatePath: other.certificate)) { transport in
            #expect(await transport.fetch(server.url("whole")).outcome?.failure == .untrusted)
            #expect(await transport.fetch(other.url("whole")).outcome == .complete)
        }
    }

    @Test func unusableCertificateFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "haul-ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let contents = [
            "empty": "", "text": "no certificate",
            "broken": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ]
        for (name, content) in contents { try Data(content.utf8).write(to: folder.appending(path: name)) }
        for name in ["absent", "empty", "text", "broken", ""] {
            let path = folder.appending(path: name).path
            let error = #expect(throws: HTTPTransportError.self) {
                try HTTPTransport(HTTPTransportConfiguration(caCertificatePath: path))
            }
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("a bundle of certificates is read when TLS is first needed, and a broken one is named then")
    func bundles() async throws {
        let folder = try TemporaryFolder()
        let server = try await TLSServer(for: "IP:127.0.0.1", answers: Self.answers)
        let comment = Array(repeating: UInt8(ascii: "#"), count: TrustRoots.bundleBytes) + [UInt8(ascii: "\n")]
        try folder.put(comment + Data(contentsOf: URL(filePath: server.certificate)), "good")
        try folder.put(comment, "broken")
        try await with(HTTPTransportConfiguration(caCertificatePath: folder.path + "/good")) { transport in
            #expect(await transport.fetch(server.url("whole")).outcome == .complete)
        }
        try await with(HTTPTransportConfiguration(caCertificatePath: folder.path + "/broken")) { transport in
            for _ in 1...2 {
                let error = await transport.fetch(server.url("whole")).outcome?.error
                #expect(error?.kind == .unusable && error?.detail.contains(folder.path + "/broken") == true)
            }
        }
    }
}

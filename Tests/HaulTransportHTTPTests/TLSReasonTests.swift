import HaulCore
import HaulTransport
import Testing

@testable import HaulTransportHTTP

@Suite("Failures of TLS by their reasons")
struct TLSReasonTests {
    @Test(
        arguments: [
            (
                "Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at /x/tls_record.cc:127",
                "WRONG_VERSION_NUMBER"
            ),
            ("something else", ""), ("", ""),
        ])
    func boringSSL(text: String, reason: String) { #expect(TransportError.reason(text) == reason) }

    @Test(
        "the words of three libraries",
        arguments: [
            ("WRONG_VERSION_NUMBER", "does not speak TLS at this port", .serverWithoutTLS),
            ("wrong version number", "does not speak TLS at this port", .serverWithoutTLS),
            ("An unexpected TLS packet was received.", "does not speak TLS at this port", .serverWithoutTLS),
            ("TLSV1_ALERT_CERTIFICATE_REQUIRED", "requires a client certificate", .clientCertificateMissing),
            ("tlsv13 alert certificate required", "requires a client certificate", .clientCertificateMissing),
            ("Certificate is required", "requires a client certificate", .clientCertificateMissing),
            ("TLSV1_ALERT_UNKNOWN_CA", "refused the client certificate (unknown ca)", .clientCertificateRefused),
            (
                "sslv3 alert certificate expired", "refused the client certificate (certificate expired)",
                .clientCertificateRefused
            ),
            ("SSLV3_ALERT_HANDSHAKE_FAILURE", "ended the TLS handshake", .handshakeRefused),
            ("A TLS fatal alert has been received.", "ended the TLS handshake", .handshakeRefused),
            ("TLSV1_ALERT_PROTOCOL_VERSION", "does not support TLS 1.2 or later", nil),
            ("TLSV1_ALERT_DECODE_ERROR", "tlsv1 alert decode error", nil), ("", "the handshake failed", nil),
        ] as [(String, String, DownloadError.Detail?)])
    func reasons(reason: String, words: String, detail: DownloadError.Detail?) {
        let error = TransportError(tlsReason: reason)
        #expect(error.kind == .tls && error.detail == words && error.reason == detail)
    }

    @Test("a client certificate that was not shown is missing, whatever the server says")
    func clientCertificates() {
        let refused = TransportError(tlsReason: "sslv3 alert bad certificate")
        #expect(refused.knowing(showsCertificate: true) == refused)
        #expect(refused.knowing(showsCertificate: false).reason == .clientCertificateMissing)
        let ended = TransportError(tlsReason: "sslv3 alert handshake failure")
        #expect(ended.knowing(showsCertificate: false) == ended)
        #expect(ended.knowing(showsCertificate: true).reason == nil)
    }
}

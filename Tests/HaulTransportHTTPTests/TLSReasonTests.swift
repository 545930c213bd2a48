import Testing

@testable import HaulTransportHTTP

@Suite("Failures of TLS in words")
struct TLSReasonTests {
    @Test(
        arguments: [
            (
                "Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at /x/tls_record.cc:127",
                "the server does not speak TLS at this port: is it http instead of https?"
            ),
            (
                "Error: 268436526 error:1000042e:SSL routines:OPENSSL_internal:TLSV1_ALERT_PROTOCOL_VERSION at /x/a.cc:5",
                "tlsv1 alert protocol version"
            ),
            ("something else", "the handshake failed"), ("", "the handshake failed"),
        ])
    func words(text: String, words: String) {
        #expect(TLSReason.words(text) == words)
    }
}

import HaulCore

extension TransportError {
    /// Creates an error for a TLS failure from the reason that OpenSSL, BoringSSL or GnuTLS reports.
    ///
    /// - Parameter reason: For example `TLSV1_ALERT_UNKNOWN_CA` or `tlsv1 alert unknown ca`; empty if there is none.
    package init(tlsReason reason: String) {
        let words = reason.lowercased().replacing("_", with: " ")
        func has(_ texts: String...) -> Bool { texts.contains(where: words.contains) }
        if has("wrong version number", "http request", "https proxy request", "unexpected tls packet") {
            self.init(.tls, "does not speak TLS at this port", .serverWithoutTLS)
        } else if has("certificate required", "certificate is required", "no certificate") {
            self.init(.tls, Self.required, .clientCertificateMissing)
        } else if let alert = Self.certificateAlerts.first(where: { words.contains("alert \($0)") }) {
            self.init(.tls, "refused the client certificate (\(alert))", .clientCertificateRefused)
        } else if has("alert handshake failure", "fatal alert") {
            self.init(.tls, "ended the TLS handshake", .handshakeRefused)
        } else if has("alert protocol version", "unsupported protocol") {
            self.init(.tls, "does not support TLS 1.2 or later")
        } else {
            self.init(.tls, words.isEmpty ? "the handshake failed" : words)
        }
    }

    /// Returns the error, refined by knowing whether a client certificate was presented: some servers refuse a missing
    /// one like an invalid one.
    package func knowing(showsCertificate: Bool) -> Self {
        switch (reason, showsCertificate) {
        case (.clientCertificateRefused, false):
            Self(kind, Self.required, .clientCertificateMissing, proxy: proxy)
        case (.handshakeRefused, true): Self(kind, "handshake failure", proxy: proxy)
        case _: self
        }
    }

    private static let required = "requires a client certificate"

    /// RFC 8446, section 6.2.
    private static let certificateAlerts = [
        "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
        "certificate unknown", "unknown ca", "access denied",
    ]
}

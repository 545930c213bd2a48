/// What BoringSSL says of a failure, in words.
enum TLSReason {
    /// Returns a clause for a message.
    ///
    /// BoringSSL's text is like `Error: 268435703 error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at /path/tls_record.cc:127`.
    static func words(_ text: String) -> String {
        guard let reason = text.part(behind: "OPENSSL_internal:").map({ String($0.prefix { $0 != " " }) }),
            !reason.isEmpty
        else { return "the handshake failed" }
        if ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"].contains(reason) {
            return "the server does not speak TLS at this port: is it http instead of https?"
        }
        return reason.lowercased().replacing("_", with: " ")
    }
}

extension String {
    /// What follows the last `mark`; nil where there is none.
    fileprivate func part(behind mark: String) -> Substring? {
        guard let range = ranges(of: mark).last else { return nil }
        return self[range.upperBound...]
    }
}

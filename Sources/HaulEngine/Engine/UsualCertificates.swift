import HaulLibC

/// The file of trusted certificates that the environment names, as for other programs that use OpenSSL.
package enum UsualCertificates {
    /// The environment variable (see `SSL_CTX_set_default_verify_paths(3)`).
    package static let variable = "SSL_CERT_FILE"

    /// Returns the path of the file; nil if none is named, or it can't be read.
    package static func path(in environment: [String: String]) -> String? {
        guard let path = environment[variable], !path.isEmpty else { return nil }
        // Unsafe: the path is read up to its NUL during the call.
        return unsafe access(path, R_OK) == 0 ? path : nil
    }
}

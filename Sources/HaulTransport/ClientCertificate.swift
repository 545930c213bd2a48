/// The certificate that a client presents to a server that requests one (RFC 8446, section 4.4.2).
package struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file with the certificate, followed by those that lead to its root.
    package var certificatePath: String
    /// The path of a PEM file with the private key; nil if the certificate's file contains it.
    package var keyPath: String?

    /// Creates a client certificate from the paths of its files.
    package init(certificatePath: String, keyPath: String? = nil) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }
}

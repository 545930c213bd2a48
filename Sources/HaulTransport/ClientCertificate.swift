/// The certificate that a client presents to a server that requests one (RFC 8446, section 4.4.2).
public struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file with the certificate, followed by those that lead to its root.
    public var certificatePath: String
    /// The path of a PEM file with the private key; nil if the certificate's file contains it.
    public var keyPath: String?

    /// Creates a client certificate from the paths of its files.
    public init(certificatePath: String, keyPath: String? = nil) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }
}

/// What a client shows to a server that asks for a certificate of its own (RFC 8446, section 4.4.2).
public struct ClientCertificate: Sendable, Hashable {
    /// A file in PEM form: the certificate, then those that lead to its root.
    public var certificatePath: String
    /// A file in PEM form with the private key; nil: it stands in the file of the certificate.
    public var keyPath: String?

    /// Names the files.
    public init(certificatePath: String, keyPath: String? = nil) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }
}

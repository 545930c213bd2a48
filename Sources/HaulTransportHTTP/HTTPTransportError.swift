/// The reason why an `HTTPTransport` cannot be created.
package enum HTTPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file of trusted certificates cannot be read, or a part of it is not a certificate.
    case unreadableCertificates(path: String)
    /// The file of trusted certificates contains none.
    case noCertificates(path: String)

    /// The cause in one sentence.
    package var description: String {
        switch self {
        case .unreadableCertificates(let path):
            "can't read the certificates in \(path): expected a PEM file"
        case .noCertificates(let path): "no certificate in \(path): expected a PEM file"
        }
    }
}

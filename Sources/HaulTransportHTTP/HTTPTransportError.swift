/// The reason why an `HTTPTransport` cannot be created.
package enum HTTPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file of trusted certificates cannot be read, or a part of it is not a certificate.
    case unreadableCertificates(path: String)
    /// The file of trusted certificates contains none.
    case noCertificates(path: String)
    /// The process may not open the files that the event loops need: this number.
    case tooFewFiles(needed: Int)

    /// True if the process may not open enough files.
    package var isOfFiles: Bool {
        switch self {
        case .tooFewFiles: true
        case .unreadableCertificates, .noCertificates: false
        }
    }

    /// The cause in one sentence.
    package var description: String {
        switch self {
        case .unreadableCertificates(let path):
            "can't read the certificates in \(path): expected a PEM file"
        case .tooFewFiles(let needed):
            "too many open files: the event loops need \(needed) more: raise the limit (ulimit -n)"
        case .noCertificates(let path): "no certificate in \(path): expected a PEM file"
        }
    }
}

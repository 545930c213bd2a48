import HaulTransport
import NIOSSL

extension TLSConfiguration {
    /// The configuration of a client that accepts TLS 1.2 and later; RFC 8996: older versions are insecure.
    static var client: TLSConfiguration {
        var result = makeClientConfiguration()
        result.minimumTLSVersion = .tlsv12
        return result
    }

    /// Presents a certificate to servers that request one.
    ///
    /// The files are read here, and not again.
    ///
    /// - Throws: `TransportError` of kind `unusable` that names the file.
    mutating func show(_ certificate: ClientCertificate) throws(TransportError) {
        let keyPath = certificate.keyPath ?? certificate.certificatePath
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate.certificatePath), !chain.isEmpty else {
            throw TransportError(
                .unusable, "no certificate in \(certificate.certificatePath): expected a PEM file")
        }
        guard let key = try? NIOSSLPrivateKey(file: keyPath, format: .pem) else {
            throw TransportError(
                .unusable,
                "no private key in \(keyPath): expected a PEM file without a passphrase")
        }
        certificateChain = chain.map { .certificate($0) }
        privateKey = .privateKey(key)
        // Creating a context reveals whether certificate and key match. The trusted roots, which are many, are not
        // needed for that.
        var trial = self
        trial.trustRoots = .certificates([])
        guard (try? NIOSSLContext(configuration: trial)) != nil else {
            throw TransportError(
                .unusable,
                "the private key in \(keyPath) does not belong to the certificate in \(certificate.certificatePath)")
        }
    }
}

import HaulTransport
import NIOSSL

extension TLSConfiguration {
    /// Presents a certificate to servers that request one.
    ///
    /// The files are read here, and not again.
    ///
    /// - Throws: `TransportError` of kind `unusable` that names the file.
    mutating func show(_ certificate: ClientCertificate) throws(TransportError) {
        let keyPath = certificate.keyPath ?? certificate.certificatePath
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate.certificatePath), !chain.isEmpty else {
            throw TransportError(
                .unusable, "there is no certificate to be read in \(certificate.certificatePath): a PEM file is needed")
        }
        guard let key = try? NIOSSLPrivateKey(file: keyPath, format: .pem) else {
            throw TransportError(
                .unusable,
                "there is no private key to be read in \(keyPath): a PEM file without a passphrase is needed")
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

import HaulLibC
import HaulTransport
import NIOSSL
import Synchronization

/// The certificates that are trusted: the system's, or those in a file.
///
/// A file of a few certificates is parsed at once, so that a mistake in it is reported; a bundle of all authorities of
/// the world, which takes milliseconds, when TLS is first needed.
final class TrustRoots: Sendable {
    /// The size from which a file is a bundle.
    static let bundleBytes = 64 << 10

    private let path: String
    /// Nil while the bundle is not parsed.
    private let roots: Mutex<NIOSSLTrustRoots?>

    /// Trusts the certificates in a PEM file, or the system's if the path is nil.
    init(caCertificatePath path: String?) throws(HTTPTransportError) {
        self.path = path ?? ""
        guard let path else {
            roots = Mutex(.default)
            return
        }
        roots = Mutex(Self.isBundle(path) ? nil : try Self.parse(path))
    }

    /// Returns the certificates.
    ///
    /// - Throws: `TransportError` of kind `unusable` that names the file, if a bundle can't be parsed.
    func certificates() throws(TransportError) -> NIOSSLTrustRoots {
        do {
            return try roots.withLock { roots in
                if let roots { return roots }
                let parsed = try Self.parse(path)
                roots = parsed
                return parsed
            }
        } catch {
            throw TransportError(.unusable, "\(error)")
        }
    }

    private static func parse(_ path: String) throws(HTTPTransportError) -> NIOSSLTrustRoots {
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw .unreadableCertificates(path: path)
        }
        guard !certificates.isEmpty else { throw .noCertificates(path: path) }
        return .certificates(certificates)
    }

    private static func isBundle(_ path: String) -> Bool {
        var found = stat()
        // Unsafe: stat(2) reads the path up to its NUL and fills the struct, which outlives the call.
        return unsafe stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFREG && found.st_size >= bundleBytes
    }
}

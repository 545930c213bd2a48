import HaulCore
import HaulLibC
import HaulTransport
import NIOCore
import NIOSSL

extension TransportError {
    /// Returns the error of a connection; if a certificate was not accepted, with the reason, which BoringSSL does not
    /// report.
    static func explained(_ error: any Error, by pipeline: ChannelPipeline.SynchronousOperations) -> any Error {
        guard TransportError(error).isUnexplained, let certificate = try? pipeline.nioSSL_peerCertificate() else {
            return error
        }
        return TransportError(certificate, isForOtherHost: error is NIOSSLExtraError)
    }

    /// True if a certificate was not accepted, and the reason or the certificate's host is unknown.
    var isUnexplained: Bool {
        kind == .untrusted && (reason == nil || detail == CertificateFacts.forOthers([]))
    }

    /// Creates an error with the reason why a certificate was not accepted.
    init(_ certificate: NIOSSLCertificate, isForOtherHost: Bool) {
        let names = CertificateNames(certificate)
        let facts = CertificateFacts(
            names: names.dns + names.addresses.compactMap(\.ipAddress), notBefore: Int64(certificate.notValidBefore),
            notAfter: Int64(certificate.notValidAfter),
            isSelfSigned: (try? CertificateFacts.isSelfIssued(certificate.toDERBytes())) ?? false)
        let problem = facts.problem(isForOtherHost: isForOtherHost, now: Int64(time(nil)))
        self.init(.untrusted, problem.words, problem.detail)
    }
}

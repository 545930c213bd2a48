package import HaulCore

extension DownloadError.Code {
    /// The HTTP status of the API's response for this kind of error (RFC 9110, section 15).
    ///
    /// There is no other mapping from errors to statuses.
    package var httpStatus: Int {
        switch self {
        case .invalidRequest: 400
        case .notAuthorized: 401
        case .noSuchDownload, .notFound: 404
        case .notPossible, .cancelled, .destinationExists, .destinationBusy, .sourceChanged: 409
        case .linkExpired: 410
        case .internal, .fileFailed, .catalogueFailed: 500
        case .connectionFailed, .nameNotResolved, .tlsFailed, .unexpectedStatus, .redirectRefused, .badResponse,
            .contentEncoded, .checksumMismatch:
            502
        case .serverBusy, .catalogueBusy, .tooManyFiles: 503
        case .timedOut: 504
        case .noSpace: 507
        }
    }
}

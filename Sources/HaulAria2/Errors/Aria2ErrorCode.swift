package import HaulCore

/// aria2's codes for the outcome of a download; the program `aria2c` also exits with them (aria2c(1), EXIT STATUS).
package enum Aria2ErrorCode: Int32, Sendable, CaseIterable {
    case none = 0
    case unknown = 1
    case timeout = 2
    case notFound = 3
    case maxFileNotFound = 4
    case tooSlow = 5
    case network = 6
    case unfinished = 7
    case cannotResume = 8
    case diskFull = 9
    case pieceLength = 10
    case sameFile = 11
    case sameInfoHash = 12
    case fileExists = 13
    case rename = 14
    case openFile = 15
    case create = 16
    case input = 17
    case makeFolder = 18
    case nameResolution = 19
    case metalink = 20
    case ftp = 21
    case header = 22
    case redirects = 23
    case authorization = 24
    case bencode = 25
    case torrent = 26
    case magnet = 27
    case option = 28
    case unavailable = 29
    case rpc = 30
    case removed = 31
    case checksum = 32

    /// Creates the code for a failure, as aria2 1.36 reports it.
    ///
    /// There is no other mapping.
    ///
    /// - Parameter spec: The spec of the download, if there is one: two of its settings have codes of their own.
    package init(_ error: DownloadError, of spec: DownloadSpec? = nil) {
        switch (error.code, error.status) {
        case (.timedOut, _) where spec?.tuning.failsWhenSlow == true: self = .tooSlow
        case (.notFound, 404?) where spec?.limitsNotFound == true: self = .maxFileNotFound
        case (_, 401?): self = .authorization
        case (_, 502?), (_, 503?), (_, 504?): self = .unavailable
        case (_, let status?) where status != 404: self = .header
        case _: self.init(error.code)
        }
    }

    private init(_ code: DownloadError.Code) {
        switch code {
        case .invalidRequest: self = .option
        case .nameNotResolved: self = .nameResolution
        case .timedOut: self = .timeout
        case .notFound: self = .notFound
        case .notAuthorized, .linkExpired: self = .authorization
        case .serverBusy: self = .unavailable
        case .unexpectedStatus, .badResponse, .contentEncoded: self = .header
        case .redirectRefused: self = .redirects
        case .sourceChanged: self = .cannotResume
        case .checksumMismatch: self = .checksum
        case .noSpace: self = .diskFull
        case .fileFailed, .tooManyFiles: self = .input
        case .destinationExists: self = .fileExists
        case .destinationBusy: self = .sameFile
        case .cancelled: self = .removed
        case .connectionFailed, .tlsFailed, .noSuchDownload, .notPossible, .catalogueBusy, .catalogueFailed, .internal:
            self = .unknown
        }
    }
}

package import HaulCore

/// aria2's numbers for how a download ended; the program `aria2c` exits with them, too (aria2c(1), EXIT STATUS).
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

    /// The number for one kind of failure: the one mapping there is.
    package init(_ code: DownloadError.Code) {
        switch code {
        case .invalidRequest: self = .option
        case .nameNotResolved: self = .nameResolution
        case .connectionFailed, .tlsFailed: self = .network
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
        case .noSuchDownload, .notPossible, .catalogueBusy, .catalogueFailed, .internal: self = .unknown
        }
    }
}

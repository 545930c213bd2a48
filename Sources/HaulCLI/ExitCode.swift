package import HaulCore

/// What the process tells its caller: one number per kind of failure.
///
/// The one mapping from errors to numbers.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case complete = 0
    case mixed = 1
    case invalidRequest = 2
    case notFound = 3
    case nameNotResolved = 4
    case connectionFailed = 5
    case timedOut = 6
    case tlsFailed = 7
    case notAuthorized = 8
    case linkExpired = 9
    case serverBusy = 10
    case unexpectedStatus = 11
    case redirectRefused = 12
    case badResponse = 13
    case contentEncoded = 14
    case sourceChanged = 15
    case checksumMismatch = 16
    case noSpace = 17
    case fileFailed = 18
    case destinationExists = 19
    case destinationBusy = 20
    case noSuchDownload = 21
    case notPossible = 22
    case catalogueBusy = 23
    case catalogueFailed = 24
    case tooManyFiles = 25
    case `internal` = 70
    case hungUp = 129
    case interrupted = 130
    case outputClosed = 141
    case terminated = 143

    /// The number for one kind of failure.
    package init(_ code: DownloadError.Code) {
        switch code {
        case .invalidRequest: self = .invalidRequest
        case .nameNotResolved: self = .nameNotResolved
        case .connectionFailed: self = .connectionFailed
        case .timedOut: self = .timedOut
        case .tlsFailed: self = .tlsFailed
        case .notFound: self = .notFound
        case .notAuthorized: self = .notAuthorized
        case .linkExpired: self = .linkExpired
        case .serverBusy: self = .serverBusy
        case .unexpectedStatus: self = .unexpectedStatus
        case .redirectRefused: self = .redirectRefused
        case .badResponse: self = .badResponse
        case .contentEncoded: self = .contentEncoded
        case .sourceChanged: self = .sourceChanged
        case .checksumMismatch: self = .checksumMismatch
        case .noSpace: self = .noSpace
        case .fileFailed: self = .fileFailed
        case .destinationExists: self = .destinationExists
        case .destinationBusy: self = .destinationBusy
        case .noSuchDownload: self = .noSuchDownload
        case .notPossible: self = .notPossible
        case .catalogueBusy: self = .catalogueBusy
        case .catalogueFailed: self = .catalogueFailed
        case .tooManyFiles: self = .tooManyFiles
        case .cancelled: self = .interrupted
        case .internal: self = .internal
        }
    }

    /// What the number means, in a few words, as the help shows it.
    package var meaning: String {
        switch self {
        case .complete: "every download is complete"
        case .mixed: "several downloads failed, for different reasons"
        case .invalidRequest: "invalid option, URL, header, checksum or list line"
        case .notFound: "not found (404, 410)"
        case .nameNotResolved: "the host has no address"
        case .connectionFailed: "connection failed, or lost; no daemon is running"
        case .timedOut: "timeout"
        case .tlsFailed: "the certificate is not trusted, or TLS failed"
        case .notAuthorized: "credentials are missing or not accepted (401, 403, 407)"
        case .linkExpired: "the link expired partway through"
        case .serverBusy: "the server stayed busy (429, 5xx), or asked for a long wait"
        case .unexpectedStatus: "other HTTP error, or a web page (--fail-on-html)"
        case .redirectRefused: "a redirect that Haul does not follow"
        case .badResponse: "invalid HTTP response"
        case .contentEncoded: "the response is compressed in a way that can't be decoded"
        case .sourceChanged: "the file on the server keeps changing, or differs"
        case .checksumMismatch: "wrong checksum"
        case .noSpace: "not enough disk space"
        case .fileFailed: "the file system reported an error, or the port is in use"
        case .destinationExists: "the file exists"
        case .destinationBusy: "another download is writing the same file"
        case .noSuchDownload: "no such download"
        case .notPossible: "not possible in the state of the download or the daemon"
        case .catalogueBusy: "another process uses the list of downloads"
        case .catalogueFailed: "the list of downloads can't be read or written"
        case .tooManyFiles: "too many open files (ulimit -n)"
        case .internal: "internal error (a bug in Haul)"
        case .hungUp: "the terminal was closed (SIGHUP)"
        case .interrupted: "interrupted (Ctrl-C, SIGINT)"
        case .outputClosed: "the reader of standard output was closed (SIGPIPE)"
        case .terminated: "terminated (SIGTERM)"
        }
    }

    /// All numbers with their meanings, one a line.
    package static var table: String {
        allCases.map { code in
            let number = String(code.rawValue)
            return "  " + String(repeating: " ", count: max(0, 3 - number.count)) + number + "  " + code.meaning
        }
        .joined(separator: "\n")
    }
}

extension DownloadError.Code {
    /// The kind of failure that ends with an exit code; nil if none does.
    init?(exitCode: Int32) {
        guard let code = Self.allCases.first(where: { ExitCode($0).rawValue == exitCode }) else { return nil }
        self = code
    }
}

package import HaulCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The reason why a download waits: `WaitReason`, with its data in fields of their own.
package struct WaitMessage: Hashable, Sendable, Codable {
    /// The name of the reason.
    package var reason: String
    /// The reason in words, for people.
    package var message: String
    /// The end of the wait, if it is known.
    package var until: Date?
    /// With `turn` and `host`: the maximum number of active downloads; with `connections`: the number that the host
    /// allows.
    package var limit: Int?
    /// With `host` and `connections`: the host.
    package var host: String?
    /// With `dependency`: the download that must finish first.
    package var download: DownloadID?
    /// With `space`: the number of missing bytes.
    package var bytes: Int64?
    /// With `serverAsked`: the response's status.
    package var status: Int?
    /// With `retrying`: the attempt that failed.
    package var attempt: Int?
    /// With `retrying` and `linkExpired`: the error.
    package var error: DownloadError?

    /// Creates the message for a reason.
    package init(_ reason: WaitReason, until: Date? = nil) {
        self.reason = reason.name
        message = reason.description
        self.until = until
        switch reason {
        case .turn(let limit): self.limit = limit
        case .host(let host, let limit), .connections(let host, let limit): (self.host, self.limit) = (host, limit)
        case .start, .credentials, .openFiles, .network, .meteredNetwork: break
        case .notBefore(let time): self.until = time
        case .dependency(let download): self.download = download
        case .space(let bytes): self.bytes = bytes
        case .linkExpired(let error): self.error = error
        case .serverAsked(let status): self.status = status
        case .retrying(let error, let attempt): (self.error, self.attempt) = (error, attempt)
        }
    }

    /// The reason in the message.
    ///
    /// - Throws: `DownloadError` with code `badResponse` for a reason that this version does not know, or that lacks a
    ///   field.
    package var waitReason: WaitReason {
        get throws(DownloadError) {
            switch (reason, limit, error) {
            case ("turn", let limit?, _): return .turn(limit: limit)
            case ("host", let limit?, _): return .host(host ?? "its host", limit: limit)
            case ("connections", let limit?, _): return .connections(host: host ?? "its host", limit: limit)
            case ("start", _, _): return .start
            case ("credentials", _, _): return .credentials
            case ("openFiles", _, _): return .openFiles
            case ("network", _, _): return .network
            case ("meteredNetwork", _, _): return .meteredNetwork
            case ("linkExpired", _, let error?): return .linkExpired(error)
            case ("retrying", _, let error?): return .retrying(error, attempt: attempt ?? 1)
            case _: break
            }
            if reason == "notBefore", let until { return .notBefore(until) }
            if reason == "dependency", let download { return .dependency(download) }
            if reason == "space", let bytes { return .space(bytes: bytes) }
            if reason == "serverAsked", let status { return .serverAsked(status: status) }
            throw .unknownMessage("the wait \"\(TerminalText.fitted(reason, width: 40))\"")
        }
    }
}

extension DownloadError {
    /// Returns the error for a value from the daemon that this version does not know.
    static func unknownMessage(_ what: String) -> DownloadError {
        DownloadError(
            .badResponse, "the daemon sent \(what), which this version does not support: use the same version for both")
    }
}

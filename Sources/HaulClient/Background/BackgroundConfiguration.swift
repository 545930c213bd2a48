public import Haul
public import HaulCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a manager works whose downloads go on when its program is gone: by the user's daemon.
///
///     let manager = try await DownloadManager(.background(identifier: "org.example.podcasts"))
///
/// The downloads of a program are told apart by its identifier: it sees no others, and two programs may use the same keys.
public struct BackgroundConfiguration: Sendable {
    /// Whose downloads these are: 1 to 100 letters, digits, full stops, hyphens and low lines; a reversed domain name is a good choice.
    public var identifier: String
    /// The manager's name for people; nil: the identifier.
    public var name: String?
    /// The daemon's Unix socket; nil: where the daemon puts it by itself, or where `HAUL_SOCKET` says.
    public var socketPath: String?
    /// Whether a daemon is started if none is at work.
    ///
    /// If `socketPath` is nil, none is started if `HAUL_NO_AUTOSTART` is set or `HAUL_SOCKET` names the socket of a service.
    public var startsDaemon = true
    /// The program `haul` that starts one; nil: where `HAUL_PATH` says, beside this program, or in `PATH`.
    public var programPath: String?
    /// Where it is remembered which events this program has seen; nil: a file below `$XDG_STATE_HOME/haul/clients`.
    public var positionPath: String?

    /// Makes a configuration with the documented defaults.
    public init(identifier: String) { self.identifier = identifier }

    /// Downloads of this identifier, by the user's daemon.
    public static func background(identifier: String) -> BackgroundConfiguration {
        BackgroundConfiguration(identifier: identifier)
    }
}

extension DownloadManager {
    /// Opens the downloads of an identifier in the user's daemon, and starts one where none is at work.
    ///
    /// The program may exit, crash or be killed: the downloads go on, are found again by the same identifier and their keys, and
    /// `unseenEvents` tells what happened meanwhile. `close()` ends the connection and touches no download.
    ///
    /// What differs from a manager in this process: folders have to lie below the daemon's roots; settings are the daemon's, for all its
    /// callers, without hooks (`capabilities`); places in the list are those of the daemon's whole list; `explanation(_:)` is nil; and a
    /// spec can't name files that the daemon would have to read (netrc, cookies, certificates) or a folder for partials.
    ///
    /// - Throws: `DownloadError` with code `connectionFailed` where there is no daemon and none can be started, `invalidRequest` for an
    ///   identifier that can't be used.
    public convenience init(_ configuration: BackgroundConfiguration) async throws(DownloadError) {
        self.init(
            backend: try await RemoteManager(
                configuration, environment: ProcessInfo.processInfo.environment))
    }
}

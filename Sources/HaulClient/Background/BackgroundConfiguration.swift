public import HaulCore
import HaulLibC
public import HaulManager

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The configuration of a manager whose downloads are performed by the user's daemon, and continue after its program
/// has ended.
///
///     let manager = try await DownloadManager(.background(identifier: "org.example.podcasts"))
///
/// The identifier separates the downloads of programs: a program sees no others, and two programs may use the same
/// keys.
public struct BackgroundConfiguration: Sendable {
    /// The owner of the downloads: 1 to 100 letters, digits, full stops, hyphens and underscores; a reversed domain
    /// name is a good choice.
    public var identifier: String
    /// The manager's display name; nil for the identifier.
    public var name: String?
    /// The folder for downloads that are added by their URL alone, inside the daemon's roots; nil: none.
    ///
    /// The daemon creates it if it is missing.
    public var folder: String?
    /// The path of the daemon's Unix socket; nil for `HAUL_SOCKET` or the daemon's default.
    public var socketPath: String?
    /// True if a daemon is started when none is running.
    ///
    /// If `socketPath` is nil, none is started if `HAUL_NO_AUTOSTART` is set or `HAUL_SOCKET` names the socket of a
    /// service.
    public var startsDaemon = true
    /// The path of the program `haul` that starts a daemon; nil to look in `HAUL_PATH`, beside this program, or in
    /// `PATH`.
    public var programPath: String?
    /// The path of the file that records the events that this program has seen; nil for a file below
    /// `$XDG_STATE_HOME/haul/clients`.
    public var positionPath: String?

    /// Creates a configuration with the documented defaults.
    public init(identifier: String) { self.identifier = identifier }

    /// Returns a configuration for the downloads of this identifier, performed by the user's daemon.
    public static func background(identifier: String) -> BackgroundConfiguration {
        BackgroundConfiguration(identifier: identifier)
    }
}

extension DownloadManager {
    /// Opens the downloads of an identifier in the user's daemon, which is started if it is not running.
    ///
    /// The program may exit, crash or be killed: the downloads continue and are found again by the same identifier and
    /// their keys, and `unseenEvents` reports the events in the meantime. `close()` ends the connection and affects no
    /// download.
    ///
    /// The differences from a manager in this process: folders must be below the daemon's roots; settings are the
    /// daemon's, for all its clients, without hooks (`capabilities`); indexes in the list are those of the daemon's
    /// whole list; `explanation(_:)` is nil; and a spec cannot name files that the daemon would have to read (netrc,
    /// cookies, certificates) or a folder for partial files.
    ///
    /// - Throws: `DownloadError` with code `connectionFailed` if there is no daemon and none can be started,
    ///   `invalidRequest` for an invalid identifier.
    public convenience init(_ configuration: BackgroundConfiguration) async throws(DownloadError) {
        self.init(
            backend: try await RemoteManager(
                configuration, environment: ProcessEnvironment.all))
    }
}

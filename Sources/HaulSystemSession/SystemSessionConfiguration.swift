public import Haul
import HaulLocal

/// The configuration of a manager whose downloads are performed by the system, and continue while the app does not run.
///
///     let manager = try await DownloadManager(
///         .systemSession(identifier: "org.example.podcasts.downloads", ManagerConfiguration(storage: .file(path: list))))
///
/// On Apple's systems, this is a background `URLSession`. The manager is the same as one in the process: it has the list,
/// the queue and the events, verifies each file, and gives it its name. Open it at each launch, also when the system has
/// launched the app in the background: see `DownloadManager.handleEvents(forSystemSession:completionHandler:)`.
///
/// Only running downloads are with the system, so `ManagerSettings.limit` is the number that continues without the app.
public struct SystemSessionConfiguration: Sendable {
    /// The identifier of the session, unique within the app and the same at each launch.
    public var identifier: String
    /// The list and its settings; the storage must be a file.
    public var manager: ManagerConfiguration
    /// True if the system may wait for a good time, such as one with power and Wi-Fi.
    public var isDiscretionary = false
    /// True if the system launches the app when downloads have ended.
    public var launchesApp = true
    /// The identifier of the app group that the session's files belong to, for extensions; nil: none.
    public var sharedContainerIdentifier: String?

    /// Creates a configuration with the documented defaults.
    public init(identifier: String, _ manager: ManagerConfiguration) {
        (self.identifier, self.manager) = (identifier, manager)
    }

    /// Returns a configuration for the session with this identifier.
    public static func systemSession(
        identifier: String, _ manager: ManagerConfiguration
    ) -> SystemSessionConfiguration {
        SystemSessionConfiguration(identifier: identifier, manager)
    }
}

extension DownloadManager {
    /// Opens a list whose downloads are performed by the system, and finds those that the system has performed meanwhile.
    ///
    /// The differences from a manager in this process: one connection per download, no rate limits, and no credentials,
    /// headers or ranges in a spec (`invalidRequest`), since the system would send them to other hosts after a redirect. A
    /// replaced source starts from the beginning. Mirrors are not used.
    ///
    /// `close()` leaves the running downloads to the system.
    ///
    /// - Throws: Like `init(_:)` with a `ManagerConfiguration`; `invalidRequest` if the list is in memory.
    public convenience init(_ configuration: SystemSessionConfiguration) async throws(DownloadError) {
        try await self.init(
            configuration.manager, session: URLSessionService.service(configuration.identifier, configuration))
    }

    /// Tells Haul that the system has launched or woken the app for the events of a session.
    ///
    /// Call it in `application(_:handleEventsForBackgroundURLSession:completionHandler:)`, and open the manager with this
    /// identifier if that has not been done.
    ///
    /// - Parameter completionHandler: Called on the main thread once all events are recorded, and the files that came are
    ///   verified.
    public static func handleEvents(
        forSystemSession identifier: String, completionHandler: @escaping @Sendable () -> Void
    ) {
        URLSessionService.keep(completionHandler, for: identifier)
    }
}

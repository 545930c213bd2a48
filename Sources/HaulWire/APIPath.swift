package import HaulCore

/// The paths of the API.
package enum APIPath {
    /// The base path of version 1, to which paths are only ever added.
    package static let base = "/api/v1"
    /// The description of the API.
    package static let document = base + "/openapi.json"
    /// The daemon's properties and permissions.
    package static let info = base + "/info"
    /// The list of downloads.
    package static let downloads = base + "/downloads"
    /// Adds many downloads at once.
    package static let batch = downloads + "/batch"
    /// Performs one action on many downloads.
    package static let actions = downloads + "/actions"
    /// The number of downloads in each state.
    package static let summary = base + "/summary"
    /// The settings that can be changed while the daemon is running.
    package static let settings = base + "/settings"
    /// Copies of the list.
    package static let backups = base + "/backups"
    /// The event stream.
    package static let events = base + "/events"
    /// The health of the daemon.
    package static let health = "/health"
    /// The readiness of the daemon.
    package static let ready = "/ready"
    /// Metrics for Prometheus.
    package static let metrics = "/metrics"

    /// Returns the path of one download.
    package static func download(_ id: DownloadID) -> String { "\(downloads)/\(id)" }

    /// Returns the path of a resource of one download.
    package static func download(_ id: DownloadID, _ part: DownloadPart) -> String {
        "\(downloads)/\(id)/\(part.rawValue)"
    }
}

/// The resources of one download.
package enum DownloadPart: String, Hashable, Sendable, CaseIterable {
    case pause
    case resume
    case cancel
    case retry
    case start
    case move
    case source
    case segments
    case explanation
}

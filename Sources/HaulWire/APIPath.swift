package import HaulCore

/// The paths of the API; what is between braces is filled in.
package enum APIPath {
    /// The folder of version 1: what is in it is only ever added to.
    package static let base = "/api/v1"
    /// The description of the API.
    package static let document = base + "/openapi.json"
    /// What the daemon is and allows.
    package static let info = base + "/info"
    /// The list of downloads.
    package static let downloads = base + "/downloads"
    /// Many downloads at once.
    package static let batch = downloads + "/batch"
    /// One thing done to many downloads.
    package static let actions = downloads + "/actions"
    /// How many stand where.
    package static let summary = base + "/summary"
    /// What can be changed while the daemon works.
    package static let settings = base + "/settings"
    /// What happens.
    package static let events = base + "/events"
    /// Whether the daemon is there.
    package static let health = "/health"
    /// Figures for Prometheus.
    package static let metrics = "/metrics"

    /// One download.
    package static func download(_ id: DownloadID) -> String { "\(downloads)/\(id)" }

    /// Something of one download.
    package static func download(_ id: DownloadID, _ part: DownloadPart) -> String {
        "\(downloads)/\(id)/\(part.rawValue)"
    }
}

/// What there is below one download.
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

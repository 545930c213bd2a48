/// The settings of the daemon: under these names in its file, as `--NAME` on the command line, and as `HAUL_NAME` in
/// the environment.
package enum ConfigurationKey: String, Hashable, Sendable, CaseIterable {
    case roots
    case port
    case address
    case allowRemote = "allow-remote"
    case hosts
    case privateAddresses = "private-addresses"
    case jobs
    case jobsPerHost = "jobs-per-host"
    case order
    case limitRate = "limit-rate"
    case resumeAtStart = "resume-at-start"
    case keepEvents = "keep-events"
    case keepHistory = "keep-history"
    case notifications
    case webhook
    case webhookOn = "webhook-on"
    case webhookSecretFile = "webhook-secret-file"
    case rpcAllowOriginAll = "rpc-allow-origin-all"
    case caCertificate = "ca-certificate"
    case proxy
    case noProxy = "no-proxy"
    case logLevel = "log-level"
    case logFormat = "log-format"
    case autostart
    case stateFolder = "state-folder"
    case socket

    /// The command-line option.
    package var option: String {
        switch self {
        case .roots: "--root"
        case .hosts: "--host"
        case _: "--\(rawValue)"
        }
    }

    /// The environment variable.
    package var variable: String { "HAUL_" + rawValue.uppercased().replacing("-", with: "_") }

    /// True if the values are paths.
    package var isPath: Bool {
        [.roots, .stateFolder, .socket, .caCertificate, .webhookSecretFile].contains(self)
    }

    /// True if the setting may have several values.
    package var isList: Bool { self == .roots || self == .hosts || self == .webhookOn }
}

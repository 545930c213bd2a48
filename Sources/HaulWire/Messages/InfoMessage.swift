package import HaulCore

/// The properties and permissions of a daemon.
package struct InfoMessage: Hashable, Sendable, Codable {
    /// Haul's version.
    package var version: String
    /// The daemon's process id.
    package var pid: Int
    /// The whole seconds since its start.
    package var uptime: Int
    /// The folders that downloads may be saved to; the first one is the default.
    package var roots: [String]
    /// The capabilities of the manager, by name.
    package var capabilities: [String]
    /// True if the client may use sources at private, loopback and link-local addresses.
    package var privateAddresses: Bool
    /// The number of the last event.
    package var lastEvent: Int64
    /// The number of the oldest event that can be replayed; nil if there is none.
    package var firstEvent: Int64?
    /// The TCP port that it listens on; nil if there is none.
    package var port: Int?
    /// The folder of its list and its token, for clients on the same machine; nil for others.
    package var stateFolder: String?
    /// The repairs that were necessary to open the list; nil if there were none.
    package var notice: String?

    /// Creates the message.
    package init(
        version: String, pid: Int, uptime: Int, roots: [String], capabilities: [String], privateAddresses: Bool,
        lastEvent: Int64, firstEvent: Int64?, notice: String?
    ) {
        (self.version, self.pid, self.uptime, self.roots) = (version, pid, uptime, roots)
        (self.capabilities, self.privateAddresses) = (capabilities, privateAddresses)
        (self.lastEvent, self.firstEvent, self.notice) = (lastEvent, firstEvent, notice)
    }
}

/// A copy of the list.
package struct BackupMessage: Hashable, Sendable, Codable {
    /// The name of the file in the state folder.
    package var name: String
    /// Its path, for clients on the same machine; nil for others.
    package var path: String?

    /// Creates the message.
    package init(name: String, path: String?) { (self.name, self.path) = (name, path) }
}

/// The health of a daemon.
package struct HealthMessage: Hashable, Sendable, Codable {
    /// `ok`, or `failing` if the list of downloads cannot be written.
    package var status: String
    /// Haul's version.
    package var version: String
    /// The code of the error while it is failing.
    package var code: DownloadError.Code?
    /// The reason in words while it is failing.
    package var reason: String?

    /// Creates the message.
    package init(version: String, failure: DownloadError? = nil) {
        (status, self.version) = (failure == nil ? "ok" : "failing", version)
        (code, reason) = (failure?.code, failure?.message)
    }
}

/// The readiness of a daemon: whether it can take and carry out downloads.
package struct ReadyMessage: Hashable, Sendable, Codable {
    /// `ready` or `notReady`.
    package var status: String
    /// Haul's version.
    package var version: String
    /// The reasons while it is not ready; otherwise nil.
    package var obstacles: [Obstacle]?

    /// A reason why a daemon is not ready.
    package struct Obstacle: Hashable, Sendable, Codable {
        /// The code: `catalogueFailed` or `catalogueBusy` for the list, `noSpace` or `fileFailed` for a root.
        package var code: DownloadError.Code
        /// The reason in words.
        package var message: String

        /// Creates a reason.
        package init(code: DownloadError.Code, message: String) { (self.code, self.message) = (code, message) }
    }

    /// Creates the message.
    package init(version: String, obstacles: [Obstacle]) {
        (status, self.version) = (obstacles.isEmpty ? "ready" : "notReady", version)
        self.obstacles = obstacles.isEmpty ? nil : obstacles
    }
}

/// Reports that an event stream cannot continue from the requested number: the client must read the state again.
package struct ResetMessage: Hashable, Sendable, Codable {
    /// The number of the last event; the stream continues after it.
    package var lastEvent: Int64

    /// Creates the message.
    package init(lastEvent: Int64) { self.lastEvent = lastEvent }
}

extension Capabilities {
    /// The names of all capabilities.
    package static let names: [(capability: Capabilities, name: String)] = [
        (.persistent, "persistent"), (.background, "background"), (.segments, "segments"),
        (.rateLimits, "rateLimits"), (.hooks, "hooks"), (.networkKinds, "networkKinds"),
        (.fileProtection, "fileProtection"), (.backupExclusion, "backupExclusion"),
    ]
}

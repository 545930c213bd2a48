package import HaulCore

/// What a daemon is and allows.
package struct InfoMessage: Hashable, Sendable, Codable {
    /// Haul's version.
    package var version: String
    /// The daemon's process.
    package var pid: Int
    /// Whole seconds since it started.
    package var uptime: Int
    /// The folders that downloads may go to, the first one being the usual one.
    package var roots: [String]
    /// What the manager can do, by name.
    package var capabilities: [String]
    /// Whether sources at private, loopback and link-local addresses are allowed to who asks.
    package var privateAddresses: Bool
    /// The number of the last event.
    package var lastEvent: Int64
    /// The number of the oldest event that can be replayed; nil where there is none.
    package var firstEvent: Int64?
    /// The TCP port that it listens on; nil: none.
    package var port: Int?
    /// The folder of its list and its token, for callers on the same machine; nil for others.
    package var stateFolder: String?
    /// What had to be done to the list to open it; nil where all was well.
    package var notice: String?

    /// Makes the message.
    package init(
        version: String, pid: Int, uptime: Int, roots: [String], capabilities: [String], privateAddresses: Bool,
        lastEvent: Int64, firstEvent: Int64?, notice: String?
    ) {
        (self.version, self.pid, self.uptime, self.roots) = (version, pid, uptime, roots)
        (self.capabilities, self.privateAddresses) = (capabilities, privateAddresses)
        (self.lastEvent, self.firstEvent, self.notice) = (lastEvent, firstEvent, notice)
    }
}

/// The daemon is there, and can do its work or not.
package struct HealthMessage: Hashable, Sendable, Codable {
    /// `ok`, or `failing` if the list of downloads can't be written.
    package var status: String
    /// Haul's version.
    package var version: String
    /// The code of the error while it is failing.
    package var code: DownloadError.Code?
    /// The reason in words while it is failing.
    package var reason: String?

    /// Makes the message.
    package init(version: String, failure: DownloadError? = nil) {
        (status, self.version) = (failure == nil ? "ok" : "failing", version)
        (code, reason) = (failure?.code, failure?.message)
    }
}

/// An event stream can't go on from where it was asked to: what was known is to be read again.
package struct ResetMessage: Hashable, Sendable, Codable {
    /// The number of the last event; the stream goes on after it.
    package var lastEvent: Int64

    /// Makes the message.
    package init(lastEvent: Int64) { self.lastEvent = lastEvent }
}

extension Capabilities {
    /// The names of what there can be.
    package static let names: [(capability: Capabilities, name: String)] = [
        (.persistent, "persistent"), (.background, "background"), (.segments, "segments"),
        (.rateLimits, "rateLimits"), (.hooks, "hooks"),
    ]
}

/// The record of one run of a download, for explaining what limits it.
///
/// Its size is bounded, however long the run is. It contains no credentials: URLs are redacted.
public struct TransferRecord: Hashable, Sendable, Codable {
    /// The requested URL, without user name, password and the values in its query.
    public var url: String
    /// The number of seconds since the start of the run, or its duration.
    public var seconds = 0.0
    /// True if the run has ended.
    public var isOver = false
    /// The reason for its failure, if it failed.
    public var failure: DownloadError.Code?
    /// The size of the file; nil if unknown.
    public var totalBytes: Int64?
    /// The number of bytes received, including bytes that were only compared or fetched again.
    public var receivedBytes: Int64 = 0
    /// The number of bytes received twice because two connections fetched the same range.
    public var repeatedBytes: Int64 = 0
    /// The connection limit set by the caller.
    public var limit: ConnectionLimit
    /// The reason for using one connection only, if that is so.
    public var single: SingleConnectionReason?
    /// The host of the proxy, if there is one.
    public var proxy: String?

    /// The sources, the main one first, at most `maxSources`; nil if there is only one.
    public var sources: [SourceRecord]?

    /// The time spent in each activity.
    public var times = TransferTimes()
    /// The number of seconds for which Haul's own rate limit held at least one connection back.
    public var heldBack = 0.0
    /// The number of seconds that threads spent writing to the file, extrapolated from samples.
    public var writing = 0.0
    /// The use of the processor; nil if the run was too short to measure it.
    public var processor: ProcessorRecord?
    /// The speeds of different numbers of connections.
    public var paces: [PaceRecord] = []
    /// The number of times the server refused a further connection.
    public var refusalCount = 0
    /// The first of those refusals.
    public var refusals: [RefusalRecord] = []
    /// The first waits between attempts.
    public var waits: [WaitRecord] = []

    /// The effect of the host's connection limit; nil if there was none.
    public var hostLimit: HostLimitRecord?

    /// The connections in the order of their numbers, at most `maxConnections`; the oldest that ended are omitted.
    public var connections: [ConnectionRecord] = []
    /// The number of omitted connections.
    public var omittedConnections = 0
    /// The length of a timeline slot in seconds.
    public var slotSeconds = 0.25

    /// The maximum number of sources in a record.
    public static let maxSources = 64
    /// The maximum number of connections in a record.
    public static let maxConnections = 256
    /// The maximum number of slots in a timeline; when they are full, each two are merged.
    public static let maxSlots = 64
    /// The maximum number of refusals, and of waits, in a record.
    public static let maxIncidents = 64

    /// Creates the record of a run that has not begun.
    public init(url: String, limit: ConnectionLimit) {
        self.url = url
        self.limit = limit
    }
}

/// A source of the file, and its use.
public struct SourceRecord: Hashable, Sendable, Codable {
    /// The URL, without user name, password and the values in its query.
    public var url: String
    /// The number of bytes that it has added to the file.
    public var bytes: Int64
    /// The reason why it is not used, or not any more; nil if it is.
    public var problem: String?

    /// Creates a record.
    public init(url: String, bytes: Int64 = 0, problem: String? = nil) {
        self.url = url
        self.bytes = bytes
        self.problem = problem
    }
}

/// The reasons for fetching a file over one connection only.
public enum SingleConnectionReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The server does not support range requests.
    case noRanges
    /// The server does not send the size.
    case unknownSize
    /// The server sends no validator, and no checksum is known.
    case noValidator
    /// The link can be used for one request only.
    case oneUse
}

/// The speed of a number of connections.
public struct PaceRecord: Hashable, Sendable, Codable {
    /// The number of connections that received data.
    public var connections: Int
    /// The time in seconds.
    public var seconds: Double
    /// The number of bytes received over all of them.
    public var bytes: Int64

    /// Creates a record.
    public init(connections: Int, seconds: Double = 0, bytes: Int64 = 0) {
        self.connections = connections
        self.seconds = seconds
        self.bytes = bytes
    }

    /// Bytes per second of all connections.
    public var speed: Double { seconds > 0 ? Double(bytes) / seconds : 0 }
    /// Bytes per second of each connection.
    public var speedEach: Double { speed / Double(max(1, connections)) }
}

/// A refusal of a further connection while others continued.
public struct RefusalRecord: Hashable, Sendable, Codable {
    /// The time in seconds since the start of the run.
    public var time: Double
    /// The number of remaining connections.
    public var connections: Int
    /// The status of the response; nil if the connection was closed instead.
    public var status: Int?

    /// Creates a record.
    public init(time: Double, connections: Int, status: Int?) {
        self.time = time
        self.connections = connections
        self.status = status
    }
}

/// A wait without any request.
public struct WaitRecord: Hashable, Sendable, Codable {
    /// The time in seconds since the start of the run.
    public var time: Double
    /// The intended duration in seconds.
    public var seconds: Double
    /// The status with which the server asked for a later retry; nil after a failure.
    public var status: Int?
    /// The kind of failure; nil if the server asked for the wait.
    public var error: DownloadError.Code?

    /// Creates a record.
    public init(time: Double, seconds: Double, status: Int?, error: DownloadError.Code?) {
        self.time = time
        self.seconds = seconds
        self.status = status
        self.error = error
    }
}

/// The time of a run in seconds by activity; each instant counts once, and the sum is the whole run.
public struct TransferTimes: Hashable, Sendable, Codable {
    /// Waiting for the first response.
    public var asking = 0.0
    /// Receiving data.
    public var receiving = 0.0
    /// Responses are open, but no data is received.
    public var silent = 0.0
    /// No request is active, because the server asked for a later retry or an attempt failed.
    public var waiting = 0.0
    /// Computing the checksum after the last byte.
    public var verifying = 0.0
    /// Locating, opening, syncing and renaming the file.
    public var files = 0.0

    /// Creates times of zero.
    public init() {}

    /// The sum of all times.
    public var total: Double { asking + receiving + silent + waiting + verifying + files }
}

/// The activity of a run at an instant.
package enum TransferActivity: Hashable, Sendable, CaseIterable {
    /// The activities of `TransferTimes`, and the end of the run.
    case asking, receiving, waiting, verifying, files, over

    /// The time that the activity is counted in; nil if it is not counted.
    var times: WritableKeyPath<TransferTimes, Double>? {
        switch self {
        case .asking: \.asking
        case .receiving: \.receiving
        case .waiting: \.waiting
        case .verifying: \.verifying
        case .files: \.files
        case .over: nil
        }
    }
}

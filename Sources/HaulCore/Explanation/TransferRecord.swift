/// What is known of one run of a download, to explain what limits it.
///
/// Its size is bounded, however long the run is. It holds no credential: URLs stand in it redacted.
public struct TransferRecord: Hashable, Sendable, Codable {
    /// The URL asked for, without user name, password and the values in its query.
    public var url: String
    /// Seconds since the run began, or how long it took.
    public var seconds = 0.0
    /// Whether it has ended.
    public var isOver = false
    /// Why it failed, if it did.
    public var failure: DownloadError.Code?
    /// The size of the file, or nil where it is not known.
    public var totalBytes: Int64?
    /// Bytes received, compared ones and those that were fetched again included.
    public var receivedBytes: Int64 = 0
    /// Bytes that a second fetch of the last ones brought in vain, or that the first one had brought already.
    public var repeatedBytes: Int64 = 0
    /// How many connections the caller allowed.
    public var limit: ConnectionLimit
    /// Why it must do with one connection, if it must.
    public var single: SingleConnectionReason?
    /// The host of the proxy that it goes through, if any.
    public var proxy: String?

    /// Where the time went.
    public var times = TransferTimes()
    /// Seconds for which Haul's own rate limit held at least one connection back.
    public var heldBack = 0.0
    /// Seconds that threads spent in writing to the file, extrapolated from samples.
    public var writing = 0.0
    /// The processor's part; nil in runs that were too short to tell.
    public var processor: ProcessorRecord?
    /// What different numbers of connections brought.
    public var paces: [PaceRecord] = []
    /// How often the server refused a further connection.
    public var refusalCount = 0
    /// The first of those refusals.
    public var refusals: [RefusalRecord] = []
    /// The first waits between attempts.
    public var waits: [WaitRecord] = []

    /// What the host's limit of connections cost; nil where it cost nothing.
    public var hostLimit: HostLimitRecord?

    /// The connections in the order of their numbers, `maxConnections` at most: of more, the oldest that ended are left out.
    public var connections: [ConnectionRecord] = []
    /// How many connections were left out.
    public var omittedConnections = 0
    /// How many seconds a slot of the connections' timelines is.
    public var slotSeconds = 0.25

    /// The most connections that a record holds.
    public static let maxConnections = 256
    /// The most slots that a timeline has: when they are full, two become one.
    public static let maxSlots = 64
    /// The most refusals and waits that a record holds of each.
    public static let maxIncidents = 64

    /// Makes the record of a run that has not begun.
    public init(url: String, limit: ConnectionLimit) {
        self.url = url
        self.limit = limit
    }
}

/// Why a file is fetched over one connection only.
public enum SingleConnectionReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The server sends only whole files.
    case noRanges
    /// The server does not tell the size.
    case unknownSize
    /// The server gives nothing to tell versions of the file apart, and no checksum is known.
    case noValidator
    /// The link is good for one request only.
    case oneUse
}

/// What a number of connections brought while it was at work.
public struct PaceRecord: Hashable, Sendable, Codable {
    /// How many connections delivered.
    public var connections: Int
    /// For how many seconds.
    public var seconds: Double
    /// What came from all of them.
    public var bytes: Int64

    /// Makes a record.
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

/// The server refused a further connection, and others went on.
public struct RefusalRecord: Hashable, Sendable, Codable {
    /// Seconds since the run began.
    public var time: Double
    /// How many connections were left.
    public var connections: Int
    /// The answer's status; nil where the connection broke instead.
    public var status: Int?

    /// Makes a record.
    public init(time: Double, connections: Int, status: Int?) {
        self.time = time
        self.connections = connections
        self.status = status
    }
}

/// Nothing was asked for a while.
public struct WaitRecord: Hashable, Sendable, Codable {
    /// Seconds since the run began.
    public var time: Double
    /// How long it was meant to be.
    public var seconds: Double
    /// The status with which the server said when to come back; nil after a failure.
    public var status: Int?
    /// What kind of failure it was; nil where the server asked for the wait.
    public var error: DownloadError.Code?

    /// Makes a record.
    public init(time: Double, seconds: Double, status: Int?, error: DownloadError.Code?) {
        self.time = time
        self.seconds = seconds
        self.status = status
        self.error = error
    }
}

/// Where the time of a run went, in seconds: each instant counts in one place, and together they are the run.
public struct TransferTimes: Hashable, Sendable, Codable {
    /// No answer was there yet, and at least one was waited for.
    public var asking = 0.0
    /// Bytes came.
    public var receiving = 0.0
    /// An answer was under way, but no byte came.
    public var silent = 0.0
    /// Nothing was asked, as the server said to come back later or an attempt had failed.
    public var waiting = 0.0
    /// The digest was computed, behind the last byte.
    public var verifying = 0.0
    /// The file was looked for, opened, synced and named.
    public var files = 0.0

    /// Makes times of nothing.
    public init() {}

    /// All of them.
    public var total: Double { asking + receiving + silent + waiting + verifying + files }
}

/// What a run is busy with at an instant.
package enum TransferActivity: Hashable, Sendable, CaseIterable {
    /// See the fields of `TransferTimes`.
    case asking, receiving, waiting, verifying, files, over

    /// Where its time is counted; nil: nowhere.
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

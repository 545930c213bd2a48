/// All that the caller asks of one download.
public struct DownloadSpec: Sendable, Codable, Hashable {
    /// Where it comes from: an `http` or `https` URL.
    ///
    /// User name and password in it become an `Authorization` header.
    public var url: String
    /// Where it goes.
    public var destination: Destination
    /// What happens when something stands there already.
    public var onConflict: ConflictPolicy = .fail
    /// How many connections may work on it.
    public var connections: ConnectionLimit = .automatic(limit: 6)
    /// A digest that the finished file must have.
    public var checksum: Checksum?
    /// Headers sent with each request, in order.
    ///
    /// All but a few harmless ones stay at the URL's own origin.
    public var headers: [Header] = []
    /// Whether a partial file is gone on with, and kept when the download stops.
    ///
    /// If not, nothing but the file is ever written.
    public var resumes: Bool = true
    /// How often in a row an attempt may fail without one new byte before the download fails.
    public var retries: Int = 5
    /// The longest wait for a connection.
    public var connectTimeout: Duration = .seconds(15)
    /// The longest time without a byte on a connection.
    public var idleTimeout: Duration = .seconds(30)
    /// Whether any certificate is accepted.
    ///
    /// Shown wherever the download is shown.
    public var insecure: Bool = false
    /// Whether a redirect may lead from https to http.
    public var allowsDowngrade: Bool = false

    /// Makes a spec with the documented defaults.
    public init(url: String, destination: Destination) {
        self.url = url
        self.destination = destination
    }

    /// One header line.
    public struct Header: Hashable, Sendable, Codable {
        /// The field's name.
        public var name: String
        /// The field's value.
        public var value: String

        /// Makes a header line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// How many connections may work on one download.
public enum ConnectionLimit: Hashable, Sendable, Codable {
    /// Begin with one and add while it pays, up to the limit.
    case automatic(limit: Int)
    /// This many, as far as the file is large enough and the server grants them.
    case fixed(Int)

    /// The most connections it allows.
    public var maximum: Int {
        switch self {
        case .automatic(let limit): max(1, limit)
        case .fixed(let count): max(1, count)
        }
    }
}

/// What a manager can do; what it can't is known before it is asked for.
public struct Capabilities: OptionSet, Hashable, Sendable, Codable {
    /// The bits.
    public let rawValue: UInt32

    /// Makes a set of bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The list survives the process.
    public static let persistent = Capabilities(rawValue: 1 << 0)
    /// Downloads go on when the process is gone.
    public static let background = Capabilities(rawValue: 1 << 1)
    /// A file can be fetched over several connections.
    public static let segments = Capabilities(rawValue: 1 << 2)
    /// Rates can be limited.
    public static let rateLimits = Capabilities(rawValue: 1 << 3)
    /// Commands can be run on events.
    public static let hooks = Capabilities(rawValue: 1 << 4)
}

/// The features that a manager supports.
public struct Capabilities: OptionSet, Hashable, Sendable, Codable {
    /// The bits of the set.
    public let rawValue: UInt32

    /// Creates a set from bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The list survives the process.
    public static let persistent = Capabilities(rawValue: 1 << 0)
    /// Downloads continue after the process has ended.
    public static let background = Capabilities(rawValue: 1 << 1)
    /// A file can be fetched over several connections.
    public static let segments = Capabilities(rawValue: 1 << 2)
    /// Rates can be limited.
    public static let rateLimits = Capabilities(rawValue: 1 << 3)
    /// Commands can be run on events.
    public static let hooks = Capabilities(rawValue: 1 << 4)
    /// The system reports whether its network is expensive or constrained: see `DownloadSpec.Transfer.networks`.
    public static let networkKinds = Capabilities(rawValue: 1 << 5)
    /// Finished files get a protection class: see `DownloadSpec.Placement.protection`.
    public static let fileProtection = Capabilities(rawValue: 1 << 6)
    /// Finished files can be excluded from backups: see `DownloadSpec.Placement.isExcludedFromBackup`.
    public static let backupExclusion = Capabilities(rawValue: 1 << 7)
}

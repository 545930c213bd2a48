/// How many connections may work on one download.
public enum ConnectionLimit: Hashable, Sendable, Codable {
    /// Begin with one and add while it pays, up to the limit.
    case automatic(limit: Int)
    /// This many, as far as the file is large enough and the server grants them.
    case fixed(Int)

    /// The limit of a download whose caller set none.
    public static let standard = ConnectionLimit.automatic(limit: 6)

    /// The most connections it allows.
    public var maximum: Int {
        switch self {
        case .automatic(let limit): max(1, limit)
        case .fixed(let count): max(1, count)
        }
    }
}

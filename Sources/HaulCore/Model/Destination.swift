/// Where a finished download goes.
public enum Destination: Hashable, Sendable, Codable {
    /// This very file.
    case file(path: String)
    /// A folder that exists; the name comes from the server, else from the URL, made safe.
    case folder(path: String)
}

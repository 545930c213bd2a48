/// Where a finished download goes.
public enum Destination: Hashable, Sendable, Codable {
    /// This very file.
    case file(path: String)
    /// A folder that exists; the name comes from the server, else from the URL, made safe.
    case folder(path: String)
    /// A folder that exists; the name is the SHA-256 of the canonical URL in hexadecimal, with the extension of its path.
    case hashed(folder: String)
}

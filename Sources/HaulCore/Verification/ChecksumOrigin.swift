/// The origin of a checksum.
public enum ChecksumOrigin: Hashable, Sendable, Codable {
    /// Given by the caller.
    case given
    /// A header of the server's response.
    case header(name: String, host: String)
    /// A checksum file: its path, or its URL without secrets.
    case file(String)

    /// The name for programs: `given`, `header` or `file`.
    public var name: String {
        switch self {
        case .given: "given"
        case .header: "header"
        case .file: "file"
        }
    }

    /// The exact origin: `Repr-Digest of example.org`, or the location of the file; nil if given.
    public var detail: String? {
        switch self {
        case .given: nil
        case .header(let name, let host): "\(name) of \(host)"
        case .file(let location): location
        }
    }
}

extension ChecksumOrigin: CustomStringConvertible {
    /// A short phrase for people: `given`, `from the server's header`, `from SHA256SUMS`.
    public var description: String {
        switch self {
        case .given: "given"
        case .header: "from the server's header"
        case .file(let location): "from \(Self.name(of: location))"
        }
    }

    private static func name(of location: String) -> String {
        let path = location.prefix { $0 != "?" }
        return TerminalText.printable(path.split(separator: "/").last.map(String.init) ?? location)
    }
}

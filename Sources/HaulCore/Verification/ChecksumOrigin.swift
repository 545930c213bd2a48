/// Where a checksum comes from.
public enum ChecksumOrigin: Hashable, Sendable, Codable {
    /// The caller gave it.
    case given
    /// A header of the server's answer.
    case header(name: String, host: String)
    /// A file of checksums: its path, or its URL without what may be secret in it.
    case file(String)

    /// Its name for programs: `given`, `header` or `file`.
    public var name: String {
        switch self {
        case .given: "given"
        case .header: "header"
        case .file: "file"
        }
    }

    /// What exactly it was: `Repr-Digest of example.org`, or the file's place; nil where it was given.
    public var detail: String? {
        switch self {
        case .given: nil
        case .header(let name, let host): "\(name) of \(host)"
        case .file(let location): location
        }
    }
}

extension ChecksumOrigin: CustomStringConvertible {
    /// A few words for people: `given`, `from the server's header`, `from SHA256SUMS`.
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

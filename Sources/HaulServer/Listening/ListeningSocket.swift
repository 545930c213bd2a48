/// An address that the daemon listens on.
package enum ListeningSocket: Hashable, Sendable {
    /// A Unix socket at this path, which is created.
    case unix(path: String)
    /// An address and port; port 0 means any free port.
    case tcp(address: String, port: Int)
    /// A socket inherited from the parent process, such as systemd.
    case inherited(descriptor: Int32, isLocal: Bool)

    /// True for a Unix socket.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp: false
        case .inherited(_, let isLocal): isLocal
        }
    }

    /// The address, for people.
    package var name: String {
        switch self {
        case .unix(let path): path
        case .tcp(let address, let port): address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .inherited(let descriptor, _): "the inherited socket \(descriptor)"
        }
    }
}

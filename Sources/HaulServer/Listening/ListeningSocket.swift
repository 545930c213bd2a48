/// Where the daemon listens.
package enum ListeningSocket: Hashable, Sendable {
    /// On a Unix socket at this path, which is made.
    case unix(path: String)
    /// On an address and port; port 0: any that is free.
    case tcp(address: String, port: Int)
    /// On a socket that was handed over by who started the process, such as systemd.
    case inherited(descriptor: Int32, isLocal: Bool)

    /// Whether it is a Unix socket.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp: false
        case .inherited(_, let isLocal): isLocal
        }
    }

    /// Where it is, for people.
    package var name: String {
        switch self {
        case .unix(let path): path
        case .tcp(let address, let port): address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .inherited(let descriptor, _): "the inherited socket \(descriptor)"
        }
    }
}

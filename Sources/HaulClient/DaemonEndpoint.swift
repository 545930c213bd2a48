package import HaulCore

/// The endpoint of a daemon.
package enum DaemonEndpoint: Hashable, Sendable {
    /// A Unix socket.
    case unix(path: String)
    /// A TCP port, which requires the daemon's token.
    case tcp(host: String, port: Int, token: Secret)

    /// Returns the URL for a path of the API.
    func url(_ path: String) -> String {
        switch self {
        case .unix(let socket): "http+unix://\(PercentEncoding.encoded(socket))\(path)"
        case .tcp(let host, let port, _): "http://\(host):\(port)\(path)"
        }
    }

    /// A description of the endpoint.
    var name: String {
        switch self {
        case .unix(let path): path
        case .tcp(let host, let port, _): "\(host):\(port)"
        }
    }

    /// The token, if one is required.
    var token: String? {
        guard case .tcp(_, _, .text(let token)) = self else { return nil }
        return token
    }
}

/// Percent-encoding (RFC 3986, section 2.1) of all but unreserved characters.
enum PercentEncoding {
    /// Returns the encoded text.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case _:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}

extension DaemonEndpoint {
    /// Returns the endpoint of the user's daemon: the one in `HAUL_SOCKET` or `HAUL_STATE_FOLDER`, otherwise
    /// `haul/daemon.sock` in `XDG_RUNTIME_DIR`, otherwise in the state folder (XDG Base Directory Specification); nil
    /// if the environment names no folder.
    package static func standard(environment: [String: String]) -> DaemonEndpoint? {
        if let path = environment["HAUL_SOCKET"], !path.isEmpty { return .unix(path: path) }
        if let state = absolute("HAUL_STATE_FOLDER", environment) { return .unix(path: state + "/run/daemon.sock") }
        if let folder = absolute("XDG_RUNTIME_DIR", environment) { return .unix(path: folder + "/haul/daemon.sock") }
        return stateFolder(environment).map { .unix(path: $0 + "/run/daemon.sock") }
    }

    /// Returns the folder for persistent state, or nil.
    static func stateFolder(_ environment: [String: String]) -> String? {
        let folder = absolute("XDG_STATE_HOME", environment)
        return (folder ?? absolute("HOME", environment).map { $0 + "/.local/state" }).map { $0 + "/haul" }
    }

    /// Returns an absolute path in the environment; the specification requires that relative ones are ignored.
    private static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

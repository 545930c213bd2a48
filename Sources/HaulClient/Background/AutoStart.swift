package import HaulCore

/// Decides whether a client may start a daemon if none is at work.
package enum AutoStart {
    /// Why no daemon is started, to stand behind "no daemon was started because"; nil if one may be.
    ///
    /// The socket in `HAUL_SOCKET` is a service's: a daemon that a client starts there would have the client's user, folders and state.
    package static func obstacle(_ environment: [String: String]) -> String? {
        if let value = environment["HAUL_NO_AUTOSTART"], !["", "0", "false"].contains(value.lowercased()) {
            return "HAUL_NO_AUTOSTART is set"
        }
        if let socket = environment["HAUL_SOCKET"], !socket.isEmpty {
            return "HAUL_SOCKET names the socket of a service"
        }
        return nil
    }

    /// The error where none may be started.
    package static func refused(_ error: DownloadError, because obstacle: String) -> DownloadError {
        DownloadError(
            error.code,
            "\(error.message.prefix { $0 != ":" }): start the service, or use haul daemon start; "
                + "none was started because \(obstacle)", cause: error.cause)
    }
}

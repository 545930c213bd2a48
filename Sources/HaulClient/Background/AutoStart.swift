package import HaulCore

/// Decides whether a client may start a daemon when none is running.
package enum AutoStart {
    /// Returns the reason why no daemon is started, as the continuation of "no daemon was started because"; nil if one
    /// may be started.
    ///
    /// The socket in `HAUL_SOCKET` belongs to a service: a daemon started there by a client would have the client's
    /// user, folders and state.
    package static func obstacle(_ environment: [String: String]) -> String? {
        if let value = environment["HAUL_NO_AUTOSTART"], !["", "0", "false"].contains(value.lowercased()) {
            return "HAUL_NO_AUTOSTART is set"
        }
        if let socket = environment["HAUL_SOCKET"], !socket.isEmpty {
            return "HAUL_SOCKET names the socket of a service"
        }
        return nil
    }

    /// Returns the error if no daemon may be started.
    package static func refused(_ error: DownloadError, because obstacle: String) -> DownloadError {
        DownloadError(
            error.code,
            "\(error.message.prefix { $0 != ";" }), and none was started because \(obstacle); "
                + "start the service, or: haul daemon start", cause: error.cause)
    }
}

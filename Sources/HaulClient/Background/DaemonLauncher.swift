package import HaulCore
package import HaulProcesses

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Starts a daemon if none is running, with the command that a user would use.
package struct DaemonLauncher: Sendable {
    private let environment: [String: String]
    private let program: String?
    private let socket: String?

    /// The time limit for a start; `haul daemon start` itself gives up earlier.
    private static let patience = Duration.seconds(25)

    /// Creates a launcher that has started nothing yet.
    ///
    /// - Parameters:
    ///   - program: The program `haul`; nil to look in `HAUL_PATH`, beside this program, or in `PATH`.
    ///   - socket: The socket for the daemon; nil for its default.
    package init(environment: [String: String], program: String? = nil, socket: String? = nil) {
        (self.environment, self.program, self.socket) = (environment, program, socket)
    }

    /// Returns the path of the program `haul`, or nil if it is not found.
    package func find(isExecutable: (String) -> Bool = ProgramPath.isExecutableFile) -> String? {
        if let named = program ?? environment["HAUL_PATH"].flatMap({ $0.isEmpty ? nil : $0 }) {
            return named.hasPrefix("/") && isExecutable(named) ? named : nil
        }
        if let own = Self.ownFolder.map({ "\($0)/haul" }), isExecutable(own) { return own }
        return ProgramPath.find("haul", searchPath: environment["PATH"], isExecutable: isExecutable)
    }

    /// Starts a daemon, and returns when it responds.
    ///
    /// - Parameter code: Returns the error's code for the exit code of the program; nil for `connectionFailed`.
    /// - Throws: `DownloadError` with the reason for the failure, and that code or `connectionFailed`.
    package func start(
        code: @Sendable (Int32) -> DownloadError.Code? = { _ in nil }
    ) async throws(DownloadError) {
        guard ChildProcess.isSupported, let path = find() else {
            throw DownloadError(
                .connectionFailed,
                "no daemon is running, and the program haul, which starts one, was not found: install it, or set HAUL_PATH"
            )
        }
        let child = ChildProcess(
            program: path, arguments: ["haul", "daemon", "start"] + (socket.map { ["--socket=\($0)"] } ?? []),
            timeout: Self.patience)
        let end = await child.run(keeping: .errors, limit: 1 << 16)
        guard !end.outcome.isSuccess else { return }
        let failure = Self.failure(end, of: path)
        guard case .exited(let number) = end.outcome, let code = code(number) else { throw failure }
        throw DownloadError(code, failure.message, cause: failure.cause)
    }

    /// Returns the error for a failed start, with the program's own message if it has written any.
    package static func failure(_ end: ChildProcess.Ended, of program: String) -> DownloadError {
        let words = String(decoding: end.bytes, as: UTF8.self).split(whereSeparator: \.isNewline).last
        let reason = words.map { String($0.dropFirst($0.hasPrefix("haul: ") ? 6 : 0).prefix(1000)) }
        return DownloadError(
            .connectionFailed,
            "no daemon is running, and \(program) could not start one: "
                + (reason ?? "run \"haul daemon start\" to see why"),
            cause: reason == nil ? "\(end.outcome)" : nil)
    }

    /// The folder of this program.
    private static var ownFolder: String? {
        let path = ProgramPath.own
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}

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

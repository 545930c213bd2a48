import HaulLibC
package import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The configuration of a `CurlTransport`.
package struct CurlTransportConfiguration: Sendable {
    /// The path of a PEM file whose certificates are trusted instead of the system's.
    package var caCertificatePath: String?
    /// The maximum number of bytes of one socket read, 1 KiB to 512 KiB.
    package var receiveBufferBytes: Int
    /// The folder with the user's keys and known hosts for SFTP; nil if there is none.
    package var sshFolder: String?
    /// The user name for SFTP if the URL has none.
    package var loginName: String?
    /// The logger.
    ///
    /// It receives the start and the end of the thread; never URLs, headers or bytes.
    package var logger: Logger

    /// Creates a configuration with the folder `.ssh` and the name of the user who runs the process.
    package init(
        caCertificatePath: String? = nil,
        receiveBufferBytes: Int = 512 << 10,
        logger: Logger = Logger(label: "haul.transport.curl", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.caCertificatePath = caCertificatePath
        self.receiveBufferBytes = min(max(1024, receiveBufferBytes), 512 << 10)
        self.logger = logger
        sshFolder = ProcessEnvironment.value("HOME").map { $0 + "/.ssh" }
        loginName = ProcessEnvironment.value("LOGNAME") ?? ProcessEnvironment.value("USER")
    }

    /// The user's existing keys, the default one first.
    var sshKeys: [String] {
        guard let sshFolder else { return [] }
        return ["id_ed25519", "id_ecdsa", "id_rsa"].map { "\(sshFolder)/\($0)" }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }
}

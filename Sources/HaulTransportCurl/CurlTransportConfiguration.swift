package import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a `CurlTransport` is made of.
package struct CurlTransportConfiguration: Sendable {
    /// A PEM file whose certificates are trusted instead of the system's.
    package var caCertificatePath: String?
    /// How many bytes one read of a socket may bring, 1 KiB to 512 KiB.
    package var receiveBufferBytes: Int
    /// The folder of the user's keys and known hosts for SFTP; nil: there is none.
    package var sshFolder: String?
    /// The user name for SFTP where the URL has none.
    package var loginName: String?
    /// Hears of the beginning and the end of the thread; never of URLs, headers or bytes.
    package var logger: Logger

    /// Makes a configuration with the folder `.ssh` and the name of the user who runs the process.
    package init(
        caCertificatePath: String? = nil,
        receiveBufferBytes: Int = 512 << 10,
        logger: Logger = Logger(label: "haul.transport.curl", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.caCertificatePath = caCertificatePath
        self.receiveBufferBytes = min(max(1024, receiveBufferBytes), 512 << 10)
        self.logger = logger
        let environment = ProcessInfo.processInfo.environment
        sshFolder = environment["HOME"].map { $0 + "/.ssh" }
        loginName = environment["LOGNAME"] ?? environment["USER"]
    }

    /// The user's keys that exist, the usual one first.
    var sshKeys: [String] {
        guard let sshFolder else { return [] }
        return ["id_ed25519", "id_ecdsa", "id_rsa"].map { "\(sshFolder)/\($0)" }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }
}

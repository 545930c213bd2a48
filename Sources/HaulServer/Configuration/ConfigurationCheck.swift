package import HaulCore
import HaulLibC
import HaulProcesses
import NIOSSL

/// Checks a configuration as far as that is possible without starting the daemon.
///
/// It changes nothing: no folder is created, and no file is written.
package struct ConfigurationCheck: Sendable {
    /// The configuration; nil if some of it can't be read.
    package private(set) var configuration: DaemonConfiguration?
    /// The errors, each with the line of the file, the option or the variable, as far as one of them is the cause.
    package private(set) var problems: [DownloadError] = []
    /// The remarks about what does not prevent a start, but is probably unintended.
    package private(set) var warnings: [String] = []

    /// Checks what a reader has read.
    ///
    /// - Parameter makesSocket: False if the daemon gets its Unix socket from a service manager.
    package init(_ reader: ConfigurationReader, environment: [String: String], makesSocket: Bool = true) {
        let (configuration, found) = reader.checked()
        problems = reader.file.locatedProblems + found
        if problems.isEmpty { self.configuration = configuration }
        checkRoots(configuration, reader)
        checkHooks(reader, environment)
        let paths = configuration.paths
        let before = problems.count
        problem(reader.origin(.stateFolder)) { () throws(DownloadError) in
            try paths.checkStateFolder()
        }
        if makesSocket, problems.count == before || !paths.socket.hasPrefix(paths.stateFolder + "/") {
            // Without a name of its own, the socket follows from the state folder or the environment.
            let remark = problem(configuration.hasNamedSocket ? reader.origin(.socket) : nil) {
                () throws(DownloadError) in try paths.checkSocketFolder()
            }
            if let remark = remark ?? nil { warnings.append(remark) }
        }
        problem(reader.origin(.proxy)) { () throws(DownloadError) in
            _ = try configuration.proxies(environment: environment)
        }
        if let path = configuration.caCertificatePath {
            problem(reader.origin(.caCertificate)) { () throws(DownloadError) in
                guard (try? NIOSSLCertificate.fromPEMFile(path))?.isEmpty == false else {
                    throw DownloadError(.invalidRequest, "can't read certificates from \(path)")
                }
            }
        }
        // Also if the webhook has another error.
        let secret = configuration.webhook?.secretPath ?? reader.values[.webhookSecretFile]?.last
        if let path = secret, path.hasPrefix("/"), reader.values[.webhook]?.last?.isEmpty == false {
            problem(reader.origin(.webhookSecretFile)) { () throws(DownloadError) in _ = try WebhookSecret(path: path) }
        }
        // Unsafe: the path is copied by the call.
        guard unsafe access(paths.stateFolder, F_OK) == 0 else { return }
        problem { () throws(DownloadError) in _ = try TokenFile(path: paths.tokens).read() }
        if configuration.port != nil {
            problem { () throws(DownloadError) in try AccessToken.check(at: paths.token) }
        }
    }

    private mutating func checkRoots(_ configuration: DaemonConfiguration, _ reader: ConfigurationReader) {
        // If a line can't be read, the roots may be in it.
        let isWhole = reader.file.problems.isEmpty
        if configuration.roots.isEmpty, isWhole {
            problem(reader.origin(.roots)) { () throws(DownloadError) in _ = try FolderRoots([]) }
        }
        for root in configuration.roots {
            // Unsafe: the path is copied by the call.
            if root == configuration.defaultRoot, unsafe access(root, F_OK) != 0 {
                if isWhole { warnings.append("the folder \(root) does not exist: it is created at the start") }
                continue
            }
            problem(reader.origin(.roots)) { () throws(DownloadError) in _ = try FolderRoots([root]) }
            // Unsafe: as above.
            if unsafe access(root, F_OK) == 0, unsafe access(root, W_OK) != 0 {
                warnings.append("the folder \(root) can't be written by this user")
            }
        }
    }

    private mutating func checkHooks(_ reader: ConfigurationReader, _ environment: [String: String]) {
        for hook in reader.file.hooks + reader.file.partialHooks where !hook.command.isEmpty {
            let name = hook.command.first ?? ""
            let path = ProgramPath.find(name, searchPath: environment["PATH"])
            guard path.map(ProgramPath.isExecutableFile) != true else { continue }
            problems.append(
                DownloadError(
                    .invalidRequest,
                    "\(reader.place(hook.line))hooks: the command \"\(name)\" does not exist or can't be run"))
        }
    }

    /// Runs a check, and keeps its error.
    @discardableResult
    private mutating func problem<Value>(
        _ origin: String? = nil, _ check: () throws(DownloadError) -> Value
    ) -> Value? {
        do throws(DownloadError) {
            return try check()
        } catch {
            let message = origin.map { "\($0): \(error.message)" } ?? error.message
            problems.append(DownloadError(error.code, message, cause: error.cause))
            return nil
        }
    }
}

import HaulCore
import HaulServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds out how the daemon is to work: from the options, the environment, and its file.
struct DaemonSetup: Sendable {
    private var flags: [ConfigurationKey: [String]]
    private var file: String?
    let environment: [String: String]

    /// Takes the options; relative paths among them are from the current folder.
    init(_ options: DaemonOptions, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.init(options.flags, at: options.endpoint, environment)
    }

    /// Takes those that find a daemon which is at work.
    init(_ endpoint: DaemonEndpointOptions) {
        self.init(endpoint.flags, at: endpoint, ProcessInfo.processInfo.environment)
    }

    private init(
        _ given: [ConfigurationKey: [String]], at endpoint: DaemonEndpointOptions, _ environment: [String: String]
    ) {
        let here = FileManager.default.currentDirectoryPath
        func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : here + "/" + path }
        var flags = given
        for key in [ConfigurationKey.roots, .stateFolder, .socket, .caCertificate, .webhookSecretFile] {
            flags[key] = flags[key]?.map(absolute)
        }
        (self.flags, self.environment) = (flags, environment)
        file = endpoint.config.map(absolute)
    }

    /// The configuration, its file being read now.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` or `fileFailed`.
    func configuration() throws(DownloadError) -> DaemonConfiguration {
        let path = file ?? DaemonPaths(environment: environment).configuration
        return try ConfigurationReader(flags: flags, environment: environment, file: try read(path)).configuration()
    }

    /// The settings that the options name, without those that say where the daemon is.
    var askedSettings: [ConfigurationKey: [String]] { flags.filter { $0.key != .stateFolder && $0.key != .socket } }

    /// The settings that options and environment name, without those that say where the daemon is.
    private var named: [ConfigurationKey: [String]] {
        ConfigurationReader(flags: flags, environment: environment, file: ConfigurationFile()).values
            .filter { $0.key != .stateFolder && $0.key != .socket }
    }

    /// What a daemon that is started by this setup leaves for the next start.
    func record(_ configuration: DaemonConfiguration) -> DaemonRecord {
        DaemonRecord(named, configuration: file, socket: configuration.paths.socket)
    }

    /// The settings asked for here that a running daemon does not have, as options or names of the configuration file.
    func differences(from record: DaemonRecord) -> [String] {
        let path = record.configuration ?? DaemonPaths(environment: environment).configuration
        var keys = record.differences(from: askedSettings, file: (try? read(path))?.values ?? [:]).map(\.rawValue)
        if let file, file != path { keys.append("config") }
        return keys
    }

    /// This setup with the settings of the last daemon that are not given here.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if one of them was not kept because it holds a password.
    func continuing(_ record: DaemonRecord?) throws(DownloadError) -> DaemonSetup {
        // Another configuration file stands for other settings.
        guard let record, file == nil else { return self }
        var result = self
        let given = named
        if let lost = record.withheld.first(where: { name in given.allSatisfy { $0.key.rawValue != name } }) {
            throw DownloadError(
                .notPossible,
                "the last daemon was started with --\(lost), which is not stored because it has a password: "
                    + "give it again with haul daemon start --\(lost), or start without with haul daemon start --reset")
        }
        for (key, value) in record.values where given[key] == nil { result.flags[key] = value }
        result.file = record.configuration
        return result
    }

    /// The configuration by which a daemon is at work that can be asked and stopped.
    ///
    /// A file that was spoilt since it started does not lock anybody out: where a daemon is at work in the place that
    /// the options and the environment say, it is that one.
    ///
    /// - Throws: `DownloadError` as `configuration()`, where there is none.
    func working() throws(DownloadError) -> DaemonConfiguration {
        do throws(DownloadError) {
            return try configuration()
        } catch {
            let reader = ConfigurationReader(flags: flags, environment: environment, file: ConfigurationFile())
            guard let standard = try? reader.configuration(), DaemonLock.holder(path: standard.paths.lock) != nil else {
                throw error
            }
            return standard
        }
    }

    private func read(_ path: String) throws(DownloadError) -> ConfigurationFile {
        // The usual file may be missing, one that was named may not.
        guard file != nil || FileManager.default.fileExists(atPath: path) else { return ConfigurationFile() }
        guard FileManager.default.fileExists(atPath: path) else {
            throw DownloadError(.fileFailed, "the configuration file \(path) does not exist")
        }
        guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
            throw DownloadError(
                .fileFailed, "can't read the configuration file \(path): it must be a readable UTF-8 file")
        }
        do throws(DownloadError) {
            var file = try ConfigurationFile(parsing: text)
            file.path = path
            return file
        } catch {
            throw DownloadError(error.code, "\(path), \(error.message)", cause: error.cause)
        }
    }

    /// What another process is told by its environment: arguments are for everybody to see, and a proxy's URL may hold a password.
    var hiddenEnvironment: [String: String] {
        guard let proxy = flags[.proxy]?.last, proxy.contains("@") else { return [:] }
        return ["HAUL_PROXY": proxy]
    }

    /// The arguments that have another process, with `hiddenEnvironment`, work by the same options.
    var arguments: [String] {
        var result = file.map { ["--config", $0] } ?? []
        let shown = hiddenEnvironment.isEmpty ? flags : flags.filter { $0.key != .proxy }
        for (key, values) in shown.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            switch key {
            case .allowRemote, .privateAddresses, .notifications, .rpcAllowOriginAll: result.append("--\(key.rawValue)")
            case .roots: result += values.flatMap { ["--root", $0] }
            case .hosts: result += values.flatMap { ["--host", $0] }
            case .webhookOn: result += values.flatMap { ["--webhook-on", $0] }
            case .port, .address, .jobs, .jobsPerHost, .order, .limitRate, .resumeAtStart, .autostart, .webhook,
                .webhookSecretFile, .caCertificate, .proxy, .noProxy, .logLevel,
                .logFormat,
                .stateFolder,
                .socket:
                result += values.flatMap { ["--\(key.rawValue)=\($0)"] }
            }
        }
        return result
    }
}

/// What the commands say, and how they end.
enum DaemonOutput {
    /// Says something on standard output.
    static func say(_ text: String) { OutputFile.standardOutput.write(TerminalText.printable(text) + "\n") }

    /// Says on standard error what may be wrong.
    static func warn(_ warnings: [String]) {
        for warning in warnings {
            OutputFile.standardError.write("haul: warning: \(TerminalText.printable(warning))\n")
        }
    }

    /// Says on standard error what went wrong.
    ///
    /// - Returns: the number to exit with.
    static func fail(_ error: DownloadError) -> Int32 {
        OutputFile.standardError.write("haul: \(TerminalText.printable(error.description))\n")
        return ExitCode(error.code).rawValue
    }
}
